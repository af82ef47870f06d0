public import StoreArtifacts

/// Something that a simulated store sells.
public struct StoreProduct: Hashable, Sendable {
    /// Its identifier.
    public var id: String
    /// What kind of product it is.
    public var type: TransactionPayload.ProductType
    /// How long a period lasts; `nil` for what does not renew.
    public var period: Duration?
    /// The group of subscriptions it belongs to.
    public var subscriptionGroupID: String?
    /// In thousandths of the currency's unit.
    public var price: Int64
    /// ISO 4217.
    public var currency = "EUR"

    private init(_ id: String, _ type: TransactionPayload.ProductType, price: Int64) {
        self.id = id
        self.type = type
        self.price = price
    }

    /// Renews until cancelled.
    public static func subscription(
        _ id: String, period: Duration = .days(30), group: String = "20000001", price: Int64 = 9_990
    ) -> StoreProduct {
        var product = StoreProduct(id, .autoRenewable, price: price)
        product.period = period
        product.subscriptionGroupID = group
        return product
    }

    /// Bought once, kept for ever.
    public static func nonConsumable(_ id: String, price: Int64 = 19_990) -> StoreProduct {
        StoreProduct(id, .nonConsumable, price: price)
    }

    /// Used up.
    public static func consumable(_ id: String, price: Int64 = 990) -> StoreProduct {
        StoreProduct(id, .consumable, price: price)
    }

    /// For a time that only the app knows.
    public static func nonRenewing(_ id: String, price: Int64 = 4_990) -> StoreProduct {
        StoreProduct(id, .nonRenewing, price: price)
    }
}
