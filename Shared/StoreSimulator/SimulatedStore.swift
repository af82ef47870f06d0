public import FoundationEssentials
public import StoreArtifacts

/// Sells products of one app. Whatever it does follows from its seed and from what it is asked, so that a run can be
/// repeated to the last digit.
public struct SimulatedStore: Sendable {
    private let bundleID: String
    private let environment: AppleEnvironment
    private let storefront: String
    private var nextPurchase: Int64

    /// - Parameter seed: Stores with different seeds have no transaction id in common.
    public init(
        bundleID: String, environment: AppleEnvironment = .sandbox, storefront: String = "DEU", seed: UInt32 = 1
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.storefront = storefront
        // Looks like Apple's ids, and leaves room for a million purchases of a thousand periods each per seed.
        self.nextPurchase = 2_000_000_000_000_000_000 + Int64(seed) * 1_000_000_000
    }

    /// Sells a product.
    ///
    /// - Parameter appAccountToken: The app's own name for the customer, a UUID.
    public mutating func buy(
        _ product: StoreProduct, at date: Date, quantity: Int = 1, appAccountToken: String? = nil
    ) -> Purchase {
        defer { nextPurchase += 1_000 }
        var transaction = TransactionPayload(signedDate: date)
        transaction.bundleID = bundleID
        transaction.environment = environment
        transaction.storefront = storefront
        transaction.appAccountToken = appAccountToken
        transaction.productID = product.id
        transaction.subscriptionGroupID = product.subscriptionGroupID
        transaction.type = product.type
        transaction.price = product.price
        transaction.currency = product.currency
        transaction.quantity = quantity
        transaction.ownership = .purchased
        transaction.purchaseDate = date
        transaction.originalPurchaseDate = date
        return Purchase(of: product, firstID: nextPurchase, transaction)
    }
}
