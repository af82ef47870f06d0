public import FoundationEssentials

/// What a customer has or had, as of one moment.
public struct Holding: Hashable, Sendable, Encodable {
    /// Why he has it, or has it no longer.
    public enum Reason: String, Sendable, Encodable {
        /// The period is paid for.
        case paid
        /// The period is free, for newcomers.
        case trial
        /// The period is paid for at a price of its own.
        case offer
        /// The store cannot charge him and lets him have it for a while.
        case gracePeriod = "grace_period"
        /// Bought once.
        case bought
        /// Somebody in his family has bought it.
        case shared

        /// It has run out, and nothing else is known yet.
        case expired
        /// It has run out, since he wanted it so.
        case cancelled
        /// It has run out, and the store goes on trying to charge him.
        case billingRetry = "billing_retry"
        /// It has run out, and the store has given up trying.
        case notCharged = "not_charged"
        /// It has run out, since he did not agree to a higher price.
        case priceNotAgreed = "price_not_agreed"
        /// It has been paid back, wholly or in part.
        case refunded
        /// His family no longer shares it.
        case notShared = "no_longer_shared"
        /// He has something else in its place.
        case switched
    }

    /// `buyer`, or `member` for somebody in his family.
    public let customer: String
    /// What it is.
    public let productId: String
    /// Whether he has it.
    public let isActive: Bool
    /// Until when he has it, as far as is known, or had it: not part of it. `nil`: without an end.
    public let until: Date?
    /// The transaction that decides.
    public let transactionId: String
    /// The first one of the purchase.
    public let originalTransactionId: String
    /// Why he has it, or has it no longer.
    public let reason: Reason
    /// Whether it is going to renew; `nil` for what does not.
    public let renews: Bool?
    /// As what.
    public let renewsAs: String?
}

/// A span of time in which a customer had something.
public struct HeldPeriod: Hashable, Sendable, Encodable {
    /// `buyer`, or `member` for somebody in his family.
    public internal(set) var customer: String
    /// What it is.
    public internal(set) var productId: String
    /// The transaction that decides.
    public internal(set) var transactionId: String
    /// The first one of the purchase.
    public internal(set) var originalTransactionId: String
    /// When it begins.
    public internal(set) var from: Date
    /// When it ends, not part of it; `nil`: never.
    public internal(set) var until: Date?
    /// Why he had it.
    public internal(set) var reason: Holding.Reason
    /// Why it ended before its time.
    public internal(set) var endedBy: Holding.Reason?

    func contains(_ date: Date) -> Bool { from <= date && until.map { date < $0 } ?? true }
}
