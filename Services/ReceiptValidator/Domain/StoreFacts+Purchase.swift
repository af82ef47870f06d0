internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

extension ArtifactFacts {
    /// What a signed purchase of Google Play or AppCoins tells; nil if it does not name itself or its product.
    ///
    /// One of a subscription does not say until when it runs, and must not grant for ever: it tells nothing. Neither does
    /// one that is not paid yet.
    init?(_ purchase: SignedPurchase) {
        let token = OriginalTransactionID(rawValue: purchase.purchaseToken)
        // Tests of Google's have no order.
        let order = purchase.orderID.flatMap { $0.isEmpty ? nil : $0 } ?? purchase.purchaseToken
        let (id, product) = (TransactionID(rawValue: order), ProductID(rawValue: purchase.productID))
        guard token.isAcceptable, id.isAcceptable, product.isAcceptable else { return nil }
        self.init()
        guard purchase.isSubscription != true else { return }
        // Neither store tells of an environment, nor of a date of signing: of two of the same purchase the one that was
        // taken back counts.
        let purchasedAt = Timestamp(purchase.purchaseTime)
        var transaction = StoreTransaction(
            id: id, originalID: token, product: product, environment: .production, purchasedAt: purchasedAt,
            signedAt: purchasedAt)
        switch purchase.state {
        case .purchased: break
        case .cancelled, .refunded: transaction.revokedAt = purchasedAt
        default: return
        }
        transactions = [transaction]
    }
}
