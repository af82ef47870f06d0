public import FoundationEssentials
public import StoreArtifacts

/// The life of one purchase: what the store would sign about it at each moment.
public struct Purchase: Sendable {
    /// What was bought, or has come in its place.
    public private(set) var product: StoreProduct
    /// One for each period, newest last, each as it was signed last.
    public internal(set) var transactions: [TransactionPayload] = []
    /// What becomes of a subscription at the end of its period; `nil` for what is bought once.
    public internal(set) var renewal: RenewalPayload?
    /// What the next period will be.
    var nextProduct: StoreProduct
    /// At a price of its own.
    var nextOffer: StoreOffer?
    private let firstID: Int64

    init(of product: StoreProduct, firstID: Int64, offer: StoreOffer?, _ transaction: TransactionPayload) {
        self.product = product
        self.nextProduct = product
        self.firstID = firstID
        if product.period != nil {
            var renewal = RenewalPayload(signedDate: transaction.signedDate)
            renewal.originalTransactionID = String(firstID)
            renewal.environment = transaction.environment
            renewal.appAccountToken = transaction.appAccountToken
            renewal.appTransactionID = transaction.appTransactionID
            self.renewal = renewal
        }
        transactions = [transaction]
        begin(product, from: transaction.signedDate, offer: offer, reason: "PURCHASE", isFirst: true)
    }

    /// The transaction of the newest period.
    public var latest: TransactionPayload { transactions[transactions.count - 1] }

    /// Begins the next period at the end of the last one; `nil` if there is none to come.
    public mutating func renew() -> TransactionPayload? {
        guard let start = latest.expiresDate, renewal?.autoRenewStatus == 1 else { return nil }
        begin(nextProduct, from: start, offer: nextOffer, reason: "RENEWAL")
        return latest
    }

    /// The customer switches renewal off or on again; `nil` for what does not renew.
    public mutating func setAutoRenew(_ isOn: Bool, at date: Date) -> RenewalPayload? {
        renewal?.autoRenewStatus = isOn ? 1 : 0
        renewal?.signedDate = date
        return renewal
    }

    /// The store gives the money of the newest period back.
    ///
    /// - Parameter reason: 1 for a fault of the app, 0 for any other.
    public mutating func refund(at date: Date, reason: Int = 0) -> TransactionPayload {
        revoke(transactions.count - 1, at: date, reason: reason)
    }

    /// The newest transaction as the store signs it when it is asked for it later.
    public mutating func signAgain(at date: Date) -> TransactionPayload {
        transactions[transactions.count - 1].signedDate = date
        return latest
    }

    /// Adds a period; the first one takes the place of the transaction that it is made from.
    mutating func begin(
        _ product: StoreProduct, from start: Date, offer: StoreOffer? = nil, reason: String, isFirst: Bool = false
    ) {
        let id = firstID + Int64(isFirst ? 0 : transactions.count)
        var transaction = latest
        transaction.signedDate = start
        transaction.purchaseDate = start
        transaction.revocationDate = nil
        transaction.revocationReason = nil
        transaction.revocationType = nil
        transaction.revocationPercentage = nil
        transaction.isUpgraded = nil
        transaction.productID = product.id
        transaction.subscriptionGroupID = product.subscriptionGroupID
        transaction.type = product.type
        // Who shares what somebody else has paid for is not told the price.
        let isShared = transaction.ownership == .familyShared
        transaction.price = isShared ? nil : offer?.price ?? product.price
        transaction.currency = isShared ? nil : product.currency
        transaction.offerType = offer?.kind.rawValue
        transaction.offerIdentifier = offer?.identifier
        transaction.offerDiscountType = offer?.discountType
        transaction.offerPeriod = offer?.periodText
        transaction.transactionID = String(id)
        transaction.originalTransactionID = String(firstID)
        transaction.transactionReason = reason
        if let period = product.period {
            transaction.expiresDate = start + (offer?.period ?? period).timeInterval
            transaction.webOrderLineItemID = String(id + 1_000_000_000_000_000_000)
        }
        let gapStart = isFirst ? nil : latest.expiresDate
        if isFirst { transactions = [] }
        transactions.append(transaction)
        self.product = product
        nextProduct = product
        nextOffer = nil
        startRenewal(of: transaction, from: start, after: gapStart)
    }

    /// Everything that was amiss before is over with a new period.
    private mutating func startRenewal(of transaction: TransactionPayload, from start: Date, after end: Date?) {
        guard var renewal else { return }
        renewal.signedDate = start
        renewal.productID = product.id
        renewal.autoRenewProductID = product.id
        renewal.autoRenewStatus = 1
        renewal.expirationIntent = nil
        renewal.isInBillingRetry = nil
        renewal.gracePeriodExpiresDate = nil
        renewal.priceIncreaseStatus = nil
        renewal.offerType = nil
        renewal.offerIdentifier = nil
        renewal.renewalDate = transaction.expiresDate
        renewal.renewalPrice = product.price
        renewal.currency = product.currency
        // A gap of less than 60 days does not end a run of periods.
        if end.map({ start > $0 + 60 * 86_400 }) ?? true { renewal.recentSubscriptionStartDate = start }
        self.renewal = renewal
    }
}
