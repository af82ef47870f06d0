internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

extension ArtifactFacts {
    /// A receipt that tells more is the work of somebody who means no good; what is newest in it counts.
    private static let mostPurchases = 5_000

    /// Every purchase in a receipt that can be told from others.
    init(_ receipt: Receipt, in environment: StoreEnvironment) {
        var told: [TransactionID: StoreTransaction] = [:]
        let newest = receipt.purchases.sorted { $0.purchaseDate > $1.purchaseDate }.prefix(Self.mostPurchases)
        for purchase in newest {
            guard let transaction = StoreTransaction(purchase, signedAt: receipt.creationDate, in: environment) else {
                continue
            }
            // Said twice, it counts as what was taken back, if one of the two says so.
            if let known = told[transaction.id], known.revokedAt != nil || transaction.revokedAt == nil { continue }
            told[transaction.id] = transaction
        }
        self.init(
            transactions: told.values.sorted { ($0.purchasedAt, $0.id) < ($1.purchasedAt, $1.id) })
    }
}

extension StoreTransaction {
    /// One purchase in a receipt; nil for one without an id of its own, such as Xcode's, which all have 0.
    fileprivate init?(_ purchase: InAppPurchase, signedAt: Date, in environment: StoreEnvironment) {
        let id = TransactionID(rawValue: purchase.transactionID)
        let originalID = OriginalTransactionID(rawValue: purchase.originalTransactionID ?? purchase.transactionID)
        let product = ProductID(rawValue: purchase.productID)
        guard id.isAcceptable, id.rawValue != "0", originalID.isAcceptable, originalID.rawValue != "0",
            product.isAcceptable
        else { return nil }
        self.init(
            id: id, originalID: originalID, product: product, productType: ProductType(purchase.productType),
            environment: environment, purchasedAt: Timestamp(purchase.purchaseDate),
            expiresAt: purchase.expirationDate.map(Timestamp.init),
            revokedAt: purchase.revocationDate.map(Timestamp.init), signedAt: Timestamp(signedAt),
            quantity: Int(exactly: purchase.quantity))
        // Codes and offers to win somebody back are not told.
        if purchase.isTrialPeriod || purchase.isIntroductoryPricePeriod {
            offerType = 1
            offerDiscount = purchase.isTrialPeriod ? "FREE_TRIAL" : nil
        } else if let offer = purchase.promotionalOfferID, !offer.isEmpty {
            offerType = 2
            offerID = offer
        }
    }
}

extension InAppPurchase {
    /// When it was taken back; where nobody can tell when, it never counted.
    fileprivate var revocationDate: Date? { isRefunded ? cancellationDate ?? purchaseDate : nil }
}

extension StoreTransaction.ProductType {
    /// Apple's number in Apple's words; nil where it is not told.
    fileprivate init?(_ type: InAppPurchase.ProductType) {
        switch type {
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewing: self = .nonRenewing
        case .autoRenewable: self = .autoRenewable
        default: return nil
        }
    }
}
