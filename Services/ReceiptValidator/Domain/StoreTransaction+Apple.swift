internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

extension StoreTransaction {
    /// The transaction that Apple's payload is about; nil if it does not name itself, its first, its product and its
    /// date.
    init?(_ payload: TransactionPayload) {
        guard let id = payload.transactionID.map(TransactionID.init), id.isAcceptable,
            let originalID = payload.originalTransactionID.map(OriginalTransactionID.init), originalID.isAcceptable,
            let product = payload.productID.map(ProductID.init), product.isAcceptable,
            let purchasedAt = payload.purchaseDate
        else { return nil }
        self.init(
            id: id, originalID: originalID, product: product,
            productType: payload.type.map { ProductType(rawValue: $0.rawValue) },
            environment: StoreEnvironment(payload.environment), purchasedAt: Timestamp(purchasedAt),
            expiresAt: payload.expiresDate.map(Timestamp.init), revokedAt: payload.revocationDate.map(Timestamp.init),
            signedAt: Timestamp(payload.signedDate), ownership: payload.ownership?.rawValue,
            isUpgraded: payload.isUpgraded, appAccountToken: payload.appAccountToken, quantity: payload.quantity,
            priceMilliunits: payload.price, currency: payload.currency, storefront: payload.storefront)
    }
}

extension StoreEnvironment {
    /// Apple's word in ours. What Apple does not tell, or tells in a word that this release does not know, is unknown
    /// and grants nowhere.
    init(_ environment: AppleEnvironment?) {
        switch environment {
        case .production?: self = .production
        case .sandbox?: self = .sandbox
        case .xcode?, .localTesting?: self = .xcode
        default: self = .unknown
        }
    }
}
