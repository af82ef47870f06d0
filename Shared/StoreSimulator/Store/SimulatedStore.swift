public import FoundationEssentials
public import StoreArtifacts

/// Sells products of one app. Whatever it does follows from its seed and from what it is asked, so that a run can be
/// repeated to the last digit.
public struct SimulatedStore: Sendable {
    private let bundleID: String
    private let environment: AppleEnvironment
    private let storefront: String
    private let seed: UInt32
    private var nextPurchase: Int64

    /// - Parameter seed: Stores with different seeds have no transaction id in common.
    public init(
        bundleID: String, environment: AppleEnvironment = .sandbox, storefront: String = "DEU", seed: UInt32 = 1
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.storefront = storefront
        self.seed = seed
        // Looks like Apple's ids, and leaves room for a million purchases of a thousand periods each per seed.
        self.nextPurchase = 2_000_000_000_000_000_000 + Int64(seed) * 1_000_000_000
    }

    /// Sells a product.
    ///
    /// - Parameters:
    ///   - offer: A price for the first period of a subscription.
    ///   - appAccountToken: The app's own name for the customer, a UUID.
    ///   - ownership: Whether it is bought, or somebody in the family shares it.
    ///   - download: Which customer of the app it is, by a number of one's own.
    public mutating func buy(
        _ product: StoreProduct, at date: Date, quantity: Int = 1, offer: StoreOffer? = nil,
        appAccountToken: String? = nil, ownership: TransactionPayload.Ownership = .purchased, download: UInt32 = 0
    ) -> Purchase {
        defer { nextPurchase += 1_000 }
        var transaction = TransactionPayload(signedDate: date)
        transaction.bundleID = bundleID
        transaction.environment = environment
        transaction.storefront = storefront
        transaction.storefrontID = storefront == "DEU" ? "143443" : nil
        transaction.appAccountToken = appAccountToken
        transaction.appTransactionID = appTransactionID(ofDownload: download)
        transaction.quantity = quantity
        transaction.ownership = ownership
        transaction.originalPurchaseDate = date
        return Purchase(of: product, firstID: nextPurchase, offer: offer, transaction)
    }

    /// What a customer's transactions call his download of the app.
    public func appTransactionID(ofDownload download: UInt32 = 0) -> String {
        String(700_000_000_000_000_000 + Int64(seed) * 1_000 + Int64(download))
    }
}
