package import Messages

/// All that is known of a user in an app that the funnel counts, each fact with whose word it is.
package struct FunnelStory: Sendable {
    /// He was shown a step.
    package struct Shown: Sendable {
        package var step: String
        package var answer: String?
        package var at: Timestamp
        package var isAttested: Bool

        package init(step: String, answer: String?, at: Timestamp, isAttested: Bool) {
            self.step = step
            self.answer = answer
            self.at = at
            self.isAttested = isAttested
        }
    }

    /// He saw a paywall.
    package struct Exposure: Sendable {
        package var environment: StoreEnvironment
        package var at: Timestamp
        package var isAttested: Bool

        package init(environment: StoreEnvironment, at: Timestamp, isAttested: Bool) {
            self.environment = environment
            self.at = at
            self.isAttested = isAttested
        }
    }

    /// How many different steps of one user count: there are as many places for them.
    package static let mostSteps = 100

    /// What attested callers told first, then by time.
    package var shown: [Shown]
    package var exposures: [Exposure]
    /// What a store's signature says that he has bought, whoever told the rest.
    package var purchases: [StoreEnvironment: FunnelPath.Sales]

    package init(
        shown: [Shown] = [], exposures: [Exposure] = [], purchases: [StoreEnvironment: FunnelPath.Sales] = [:]
    ) {
        self.exposures = exposures
        self.purchases = purchases
        var steps: Set<String> = []
        self.shown = shown.filter { fact in
            guard steps.count >= Self.mostSteps else {
                steps.insert(fact.step)
                return true
            }
            return steps.contains(fact.step)
        }
    }

    /// The steps of which attested callers told.
    package var attestedSteps: Set<String> { Set(shown.lazy.filter(\.isAttested).map(\.step)) }

    /// How far he has come by whose word; none: there is nothing to count. Of most users one path says it all.
    package var paths: [(views: FunnelView, path: FunnelPath)] {
        let words = Set(shown.map(\.isAttested) + exposures.map(\.isAttested))
        var paths: [(views: FunnelView, path: FunnelPath)] = []
        if words.count > 1 {
            paths = [(.all, path { _ in true }), (.attested, path { $0 }), (.unverified, path { !$0 })]
        } else if let isAttested = words.first {
            paths = [(isAttested ? [.all, .attested] : [.all, .unverified], path { _ in true })]
        } else {
            paths = [(.all, path { _ in true })]
        }
        return paths.filter { !$0.path.isEmpty }
    }

    private func path(by isWanted: (_ isAttested: Bool) -> Bool) -> FunnelPath {
        let shown = shown.filter { isWanted($0.isAttested) }
        var attested: Set<String> = []
        var steps: [String: String?] = [:]
        for fact in shown {
            if fact.isAttested { attested.insert(fact.step) }
            // The others come later, and say nothing more of it.
            guard fact.isAttested || !attested.contains(fact.step) else { continue }
            steps.updateValue(fact.answer ?? steps[fact.step] ?? nil, forKey: fact.step)
        }
        func sales(in environment: StoreEnvironment) -> FunnelPath.Sales {
            var sales = purchases[environment] ?? FunnelPath.Sales()
            sales.exposedAt =
                exposures.filter { $0.environment == environment && isWanted($0.isAttested) }.map(\.at).min()
            return sales
        }
        return FunnelPath(
            steps: steps, steppedAt: shown.lazy.map(\.at).min(), production: sales(in: .production),
            sandbox: sales(in: .sandbox))
    }
}
