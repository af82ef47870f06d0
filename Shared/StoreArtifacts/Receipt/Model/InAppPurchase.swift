public import FoundationEssentials

/// One purchase in a receipt: a one-time purchase, or one period of a subscription.
public struct InAppPurchase: Hashable, Sendable {
    /// What kind of product it is.
    public struct ProductType: RawRepresentable, Hashable, Sendable {
        /// Apple's number, or -1.
        public let rawValue: Int64

        /// Any number, known here or not.
        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// Not told.
        public static let unknown = ProductType(rawValue: -1)
        /// Bought once, for ever.
        public static let nonConsumable = ProductType(rawValue: 0)
        /// Bought any number of times.
        public static let consumable = ProductType(rawValue: 1)
        /// For a time, which the receipt does not tell.
        public static let nonRenewing = ProductType(rawValue: 2)
        /// For a time, and then for another.
        public static let autoRenewable = ProductType(rawValue: 3)
    }

    /// 1701; 1 unless told.
    public var quantity: Int64
    /// 1702; empty if not told.
    public var productID: String
    /// 1703; `0` from Xcode, empty if not told.
    public var transactionID: String
    /// 1704: when the customer was charged. May lie in the future: renewals are recorded up to a day ahead.
    public var purchaseDate: Date
    /// 1705, or where that is empty 1703: shared by all periods of a subscription, also after a change of product. `nil`
    /// from Xcode.
    public var originalTransactionID: String?
    /// 1706: later than ``purchaseDate`` in many genuine receipts, so that it bounds nothing.
    public var originalPurchaseDate: Date?
    /// 1707; where it is not told, auto-renewable if there is an expiration.
    public var productType: ProductType
    /// 1708: when the period ends, which does not belong to it. Of auto-renewable subscriptions only.
    public var expirationDate: Date?
    /// 1711: identifies the period of a subscription. 64 bits.
    public var webOrderLineItemID: Int64?
    /// 1712: when Apple took it back: a refund, or an upgrade to another product. Says nothing about auto-renewal.
    public var cancellationDate: Date?
    /// 1712 is there and is no date: it was taken back, and nobody can tell when.
    public var isCancellationUnreadable = false
    /// 1713: a free trial.
    public var isTrialPeriod: Bool
    /// 1719: an introductory price.
    public var isIntroductoryPricePeriod: Bool
    /// 1721: the offer that it was bought with, if it was.
    public var promotionalOfferID: String?

    /// Whether it was taken back; after an upgrade, too.
    public var isRefunded: Bool { cancellationDate != nil || isCancellationUnreadable }

    /// Whether it is a period of a subscription: whether it has an expiration, whatever its type says.
    public var isAutoRenewable: Bool { expirationDate != nil }
}

extension InAppPurchase {
    /// Newest first, in an order that does not depend on that of the receipt.
    static func isNewer(_ one: InAppPurchase, _ other: InAppPurchase) -> Bool {
        if one.purchaseDate != other.purchaseDate { return one.purchaseDate > other.purchaseDate }
        let (end, otherEnd) = (one.expirationDate ?? .distantPast, other.expirationDate ?? .distantPast)
        if end != otherEnd { return end > otherEnd }
        return (one.transactionID, one.productID) > (other.transactionID, other.productID)
    }
}
