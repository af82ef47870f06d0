public import FoundationEssentials
public import StoreArtifacts

/// The life of one purchase: what the store would sign about it at each moment.
public struct Purchase: Sendable {
    /// What was bought.
    public let product: StoreProduct
    /// One for each period, newest last, each as it was signed last.
    public private(set) var transactions: [TransactionPayload] = []
    /// What becomes of a subscription at the end of its period; `nil` for what is bought once.
    public private(set) var renewal: RenewalPayload?
    private let firstID: Int64

    init(of product: StoreProduct, firstID: Int64, _ transaction: TransactionPayload) {
        self.product = product
        self.firstID = firstID
        append(transaction, from: transaction.signedDate, reason: "PURCHASE")
        guard let period = product.period else { return }
        var renewal = RenewalPayload(signedDate: transaction.signedDate)
        renewal.originalTransactionID = latest.originalTransactionID
        renewal.productID = product.id
        renewal.autoRenewProductID = product.id
        renewal.autoRenewStatus = 1
        renewal.environment = transaction.environment
        renewal.recentSubscriptionStartDate = transaction.signedDate
        renewal.renewalDate = transaction.signedDate + period.seconds
        renewal.renewalPrice = product.price
        renewal.currency = product.currency
        renewal.appAccountToken = transaction.appAccountToken
        self.renewal = renewal
    }

    /// The transaction of the newest period.
    public var latest: TransactionPayload { transactions[transactions.count - 1] }

    /// Begins the next period at the end of the last one; `nil` if there is none to come.
    public mutating func renew() -> TransactionPayload? {
        guard let start = latest.expiresDate, var renewal, renewal.autoRenewStatus == 1 else { return nil }
        var next = latest
        next.signedDate = start
        next.purchaseDate = start
        next.revocationDate = nil
        next.revocationReason = nil
        append(next, from: start, reason: "RENEWAL")
        renewal.signedDate = start
        renewal.renewalDate = latest.expiresDate
        self.renewal = renewal
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
        let last = transactions.count - 1
        transactions[last].revocationDate = date
        transactions[last].revocationReason = reason
        transactions[last].signedDate = date
        return latest
    }

    /// The newest transaction as the store signs it when it is asked for it later.
    public mutating func signAgain(at date: Date) -> TransactionPayload {
        transactions[transactions.count - 1].signedDate = date
        return latest
    }

    private mutating func append(_ transaction: TransactionPayload, from start: Date, reason: String) {
        var transaction = transaction
        let id = firstID + Int64(transactions.count)
        transaction.transactionID = String(id)
        transaction.originalTransactionID = String(firstID)
        transaction.transactionReason = reason
        if let period = product.period {
            transaction.expiresDate = start + period.seconds
            transaction.webOrderLineItemID = String(id + 1_000_000_000_000_000_000)
        }
        transactions.append(transaction)
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
