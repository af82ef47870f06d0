internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

extension StoreTransaction {
    /// The transaction that Apple's payload is about; nil if it does not name itself, its first, its product and its
    /// date.
    init?(_ payload: TransactionPayload, in environment: StoreEnvironment) {
        guard let id = payload.transactionID.map(TransactionID.init), id.isAcceptable,
            let originalID = payload.originalTransactionID.map(OriginalTransactionID.init), originalID.isAcceptable,
            let product = payload.productID.map(ProductID.init), product.isAcceptable,
            let purchasedAt = payload.purchaseDate
        else { return nil }
        self.init(
            id: id, originalID: originalID, product: product,
            productType: payload.type.map { ProductType(rawValue: $0.rawValue) },
            environment: environment, purchasedAt: Timestamp(purchasedAt),
            expiresAt: payload.expiresDate.map(Timestamp.init), revokedAt: payload.revocationDate.map(Timestamp.init),
            signedAt: Timestamp(payload.signedDate), ownership: payload.ownership?.rawValue,
            isUpgraded: payload.isUpgraded, appAccountToken: payload.appAccountToken, quantity: payload.quantity,
            priceMilliunits: payload.price, currency: payload.currency, storefront: payload.storefront)
        offerType = payload.offerType
        offerID = payload.offerIdentifier
        offerDiscount = payload.offerDiscountType
        revocationReason = payload.revocationReason
        revocationType = payload.revocationType?.rawValue
        revocationPercentage = payload.revocationPercentage
    }
}

extension StoreRenewal {
    /// The future of the subscription that Apple's payload is about; nil if it does not name its first transaction.
    init?(_ payload: RenewalPayload, in environment: StoreEnvironment) {
        guard let originalID = payload.originalTransactionID.map(OriginalTransactionID.init), originalID.isAcceptable
        else { return nil }
        self.init(originalID: originalID, environment: environment, signedAt: Timestamp(payload.signedDate))
        product = payload.productID.map(ProductID.init)
        nextProduct = payload.autoRenewProductID.map(ProductID.init)
        willRenew = payload.autoRenewStatus.map { $0 == 1 }
        renewsAt = payload.renewalDate.map(Timestamp.init)
        expirationIntent = payload.expirationIntent
        isInBillingRetry = payload.isInBillingRetry
        graceExpiresAt = payload.gracePeriodExpiresDate.map(Timestamp.init)
        priceIncreaseStatus = payload.priceIncreaseStatus
        priceMilliunits = payload.renewalPrice
        currency = payload.currency
        offerType = payload.offerType
        offerID = payload.offerIdentifier
        recentStartAt = payload.recentSubscriptionStartDate.map(Timestamp.init)
        appAccountToken = payload.appAccountToken
        appTransactionID = payload.appTransactionID
    }
}
