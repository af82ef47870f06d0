package import Messages

/// How far a user has come in an app, by somebody's word: all that the funnel counts of him.
package struct FunnelPath: Hashable, Sendable {
    /// What is known of one environment.
    package struct Sales: Hashable, Sendable {
        /// When he saw a paywall first.
        package var exposedAt: Timestamp?
        /// When he bought something first.
        package var purchasedAt: Timestamp?
        /// Whether he has got back all that he paid.
        package var isRefunded = false

        package init(exposedAt: Timestamp? = nil, purchasedAt: Timestamp? = nil, isRefunded: Bool = false) {
            self.exposedAt = exposedAt
            self.purchasedAt = purchasedAt
            self.isRefunded = isRefunded
        }

        package var isEmpty: Bool { exposedAt == nil && purchasedAt == nil }
    }

    /// The steps that he was shown, with what he answered.
    package var steps: [String: String?]
    /// When he was shown a step first.
    package var steppedAt: Timestamp?
    package var production: Sales
    package var sandbox: Sales

    package init(
        steps: [String: String?] = [:], steppedAt: Timestamp? = nil, production: Sales = Sales(),
        sandbox: Sales = Sales()
    ) {
        self.steps = steps
        self.steppedAt = steppedAt
        self.production = production
        self.sandbox = sandbox
    }

    /// Nothing is left to count.
    package var isEmpty: Bool { steppedAt == nil && production.isEmpty && sandbox.isEmpty }
}
