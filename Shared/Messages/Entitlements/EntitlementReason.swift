/// Why a user may use something, or may no longer.
public struct EntitlementReason: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The period is paid for.
    public static let paid = EntitlementReason(rawValue: "paid")
    /// The period is free, for newcomers.
    public static let trial = EntitlementReason(rawValue: "trial")
    /// The period is paid for at a price of its own.
    public static let offer = EntitlementReason(rawValue: "offer")
    /// The store cannot charge him and lets him have it for a while.
    public static let gracePeriod = EntitlementReason(rawValue: "grace_period")
    /// Bought once.
    public static let bought = EntitlementReason(rawValue: "bought")
    /// Somebody in his family has bought it.
    public static let shared = EntitlementReason(rawValue: "shared")

    /// It has run out, and nothing else is known yet.
    public static let expired = EntitlementReason(rawValue: "expired")
    /// It has run out, since he wanted it so.
    public static let cancelled = EntitlementReason(rawValue: "cancelled")
    /// It has run out, and the store goes on trying to charge him.
    public static let billingRetry = EntitlementReason(rawValue: "billing_retry")
    /// It has run out, and the store has given up trying.
    public static let notCharged = EntitlementReason(rawValue: "not_charged")
    /// It has run out, since he did not agree to a higher price.
    public static let priceNotAgreed = EntitlementReason(rawValue: "price_not_agreed")
    /// It has been paid back, wholly or in part.
    public static let refunded = EntitlementReason(rawValue: "refunded")
    /// His family no longer shares it.
    public static let notShared = EntitlementReason(rawValue: "no_longer_shared")
    /// He has something else in its place.
    public static let switched = EntitlementReason(rawValue: "switched")
}
