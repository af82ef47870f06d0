public import FoundationEssentials
public import StoreArtifacts

// What can become of a subscription beyond renewing. Each does what the store does and says nothing: what is signed
// then stands in `transactions` and `renewal`.
extension Purchase {
    /// Another product of the group at once, as with an upgrade: the running period ends, a new one begins.
    public mutating func switchNow(to product: StoreProduct, at date: Date) {
        transactions[transactions.count - 1].isUpgraded = true
        transactions[transactions.count - 1].signedDate = date
        begin(product, from: date, reason: "PURCHASE")
    }

    /// Another product of the group from the next period on, as with a downgrade; the product itself takes that back.
    public mutating func switchLater(to product: StoreProduct, at date: Date) {
        nextProduct = product
        renewal?.autoRenewProductID = product.id
        renewal?.renewalPrice = product.price
        renewal?.signedDate = date
    }

    /// The customer takes an offer for his next period.
    public mutating func redeem(_ offer: StoreOffer, at date: Date) {
        nextOffer = offer
        renewal?.offerType = offer.kind.rawValue
        renewal?.offerIdentifier = offer.identifier
        renewal?.renewalPrice = offer.price
        renewal?.signedDate = date
    }

    /// The store cannot charge the customer at the end of his period, and goes on trying.
    ///
    /// - Parameter grace: For how long he keeps what he has all the same.
    public mutating func failToRenew(at date: Date, grace: Duration?) {
        let end = latest.expiresDate
        renewal?.isInBillingRetry = true
        // With a grace period it has not expired yet.
        renewal?.expirationIntent = grace == nil ? 2 : nil
        renewal?.gracePeriodExpiresDate = grace.flatMap { grace in end.map { $0 + grace.timeInterval } }
        renewal?.signedDate = date
    }

    /// The grace period is over, and the store goes on trying.
    public mutating func endGrace(at date: Date) {
        renewal?.gracePeriodExpiresDate = nil
        renewal?.expirationIntent = 2
        renewal?.signedDate = date
    }

    /// The store has been able to charge the customer at last. In the grace period the new one begins where the old
    /// one ended, as if nothing had been; after it, now.
    public mutating func recover(at date: Date) {
        let isInGrace = renewal?.gracePeriodExpiresDate.map { date < $0 } ?? false
        begin(nextProduct, from: isInGrace ? latest.expiresDate ?? date : date, reason: "RENEWAL")
    }

    /// It has ended.
    ///
    /// - Parameter intent: Apple's number for why: 1 cancelled, 2 billing, 3 price not agreed to, 4 product withdrawn.
    public mutating func lapse(at date: Date, intent: Int) {
        renewal?.autoRenewStatus = 0
        renewal?.expirationIntent = intent
        renewal?.isInBillingRetry = false
        renewal?.gracePeriodExpiresDate = nil
        renewal?.signedDate = date
    }

    /// The customer subscribes again after it has ended.
    public mutating func resubscribe(to product: StoreProduct? = nil, offer: StoreOffer? = nil, at date: Date) {
        begin(product ?? self.product, from: date, offer: offer, reason: "PURCHASE")
    }

    /// The store takes a transaction back.
    ///
    /// - Parameters:
    ///   - index: Which one, in the order of ``transactions``.
    ///   - reason: 1 for a fault of the app, 0 for any other.
    ///   - percentage: How much of the price is paid back, in thousandths of a percent; `nil` for a transaction that a
    ///     family no longer shares.
    @discardableResult
    public mutating func revoke(
        _ index: Int, at date: Date, reason: Int = 0, percentage: Int64? = 100_000
    ) -> TransactionPayload {
        transactions[index].revocationDate = date
        transactions[index].revocationReason = reason
        transactions[index].revocationPercentage = percentage
        transactions[index].revocationType =
            percentage.map { $0 == 100_000 ? .fullRefund : .proratedRefund } ?? .familyRevoke
        transactions[index].signedDate = date
        return transactions[index]
    }

    /// The customer has not kept the money after all.
    public mutating func reverseRefund(of index: Int, at date: Date) {
        transactions[index].revocationDate = nil
        transactions[index].revocationReason = nil
        transactions[index].revocationPercentage = nil
        transactions[index].revocationType = nil
        transactions[index].signedDate = date
    }

    /// The period lasts longer, without a new transaction.
    public mutating func extend(by duration: Duration, at date: Date) {
        let last = transactions.count - 1
        transactions[last].expiresDate = latest.expiresDate.map { $0 + duration.timeInterval }
        transactions[last].signedDate = date
        let end = latest.expiresDate
        renewal?.renewalDate = end
        renewal?.signedDate = date
    }

    /// The next period will cost more, and the customer is asked whether he agrees; later, that he does.
    public mutating func raisePrice(to price: Int64, isAgreed: Bool, at date: Date) {
        nextProduct.price = price
        renewal?.priceIncreaseStatus = isAgreed ? 1 : 0
        renewal?.renewalPrice = price
        renewal?.signedDate = date
    }
}
