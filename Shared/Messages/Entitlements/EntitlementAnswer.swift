/// An entitlement as it is told outside, named as the SDK API names things. What is absent is not known or does not apply.
public struct EntitlementAnswer: Codable, Sendable, Hashable {
    /// Its name.
    public let entitlement: String
    /// Whether he may use it.
    public let active: Bool
    /// Since when, where it is active.
    public let since: Timestamp?
    /// Where it is active and runs out, when; where it is not, when it ran out.
    public let until: Timestamp?
    /// The transaction that decides it.
    public let transactionId: String?
    /// What was bought by it.
    public let productId: String?
    /// How well it is founded that he holds it.
    public let trust: Trust
    /// Where it was bought.
    public let environment: String
    /// True of a test app, absent otherwise.
    public let test: Bool?
    /// Why it is active, or is so no longer.
    public let reason: String?
    /// Absent where nothing renews, or nothing has told.
    public let willRenew: Bool?
    /// As which product.
    public let renewsAs: String?

    /// What the resolver says of it, told outside.
    public init(_ state: EntitlementState) {
        entitlement = state.entitlement.rawValue
        active = state.isActive
        since = state.since
        until = state.until
        transactionId = state.transaction?.rawValue
        productId = state.product?.rawValue
        trust = state.trust
        environment = state.environment.rawValue
        test = state.isTest ? true : nil
        reason = state.reason?.rawValue
        willRenew = state.willRenew
        renewsAs = state.renewsAs?.rawValue
    }
}
