internal import FoundationEssentials
internal import StoreArtifacts

// What can happen to purchases: each does it, keeps the truth, and lets the store sign.
extension Storyteller {
    /// Somebody subscribes for the first time.
    @discardableResult
    mutating func subscribe(
        to product: StoreProduct? = nil, offer: StoreOffer? = nil, sharedWithFamily isShared: Bool = false
    ) -> Int {
        let line = add(product ?? products.monthly, offer: offer, isShared: isShared)
        addPeriod(of: line, as: isShared ? .shared : reason(of: offer))
        tell("subscribed", "SUBSCRIBED", "INITIAL_BUY", of: line, status: 1)
        return line
    }

    /// Somebody buys something that does not renew.
    @discardableResult
    mutating func buy(_ product: StoreProduct, quantity: Int = 1) -> Int {
        let line = add(product, quantity: quantity)
        if product.type == .consumable {
            coins.append(Story.CoinDeal(at: now, product: product.id, quantity: quantity))
        } else {
            addPeriod(of: line, as: .bought)
        }
        tell("bought", "ONE_TIME_CHARGE", of: line)
        return line
    }

    /// The next period begins; the store may know that up to a day ahead.
    mutating func renew(_ line: Int = 0, ahead: Duration = .zero) {
        waitForEnd(of: line, before: ahead)
        guard lines[line].purchase.renew() != nil else { return }
        lines[line].lapse = .expired
        let offerType = lines[line].purchase.latest.offerType
        addPeriod(of: line, as: lines[line].isShared ? .shared : offerType == nil ? .paid : .offer)
        tell("renewed", "DID_RENEW", of: line, status: 1)
    }

    /// The customer switches renewal off, or on again.
    mutating func setAutoRenew(_ isOn: Bool, _ line: Int = 0) {
        _ = lines[line].purchase.setAutoRenew(isOn, at: now)
        tell(
            isOn ? "auto-renew-on" : "auto-renew-off", "DID_CHANGE_RENEWAL_STATUS",
            isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED", of: line, status: 1)
    }

    /// The period ends, and none follows.
    mutating func lapse(_ line: Int = 0, because intent: Int = 1) {
        lines[line].purchase.lapse(at: now, intent: intent)
        let (reason, subtype): (Holding.Reason, String) =
            switch intent {
            case 1: (.cancelled, "VOLUNTARY")
            case 2: (.notCharged, "BILLING_RETRY")
            case 3: (.priceNotAgreed, "PRICE_INCREASE")
            default: (.expired, "PRODUCT_NOT_FOR_SALE")
            }
        lines[line].lapse = reason
        tell("expired", "EXPIRED", subtype, of: line, status: 2)
    }

    /// Somebody comes back after his subscription has ended.
    mutating func resubscribe(to product: StoreProduct? = nil, offer: StoreOffer? = nil, _ line: Int = 0) {
        lines[line].purchase.resubscribe(to: product, offer: offer, at: now)
        lines[line].lapse = .expired
        addPeriod(of: line, as: reason(of: offer))
        tell("resubscribed", "SUBSCRIBED", "RESUBSCRIBE", of: line, status: 1)
    }

    /// Another product at once.
    mutating func switchNow(to product: StoreProduct, _ line: Int = 0) {
        let old = lines[line].purchase.transactions.count - 1
        end(transaction: old, of: line, at: now, by: .switched)
        if let id = lines[line].purchase.latest.transactionID { lines[line].switchedAt[id] = now }
        lines[line].purchase.switchNow(to: product, at: now)
        addPeriod(of: line, as: .paid)
        tell("switched", "DID_CHANGE_RENEWAL_PREF", "UPGRADE", of: line, beside: [old], status: 1)
    }

    /// Another product from the next period on, or the same again.
    mutating func switchLater(to product: StoreProduct, _ line: Int = 0) {
        let isBack = product == lines[line].purchase.product
        lines[line].purchase.switchLater(to: product, at: now)
        tell(
            isBack ? "switch-withdrawn" : "switch-announced", "DID_CHANGE_RENEWAL_PREF", isBack ? nil : "DOWNGRADE",
            of: line, status: 1)
    }

    /// The customer takes an offer for his next period.
    mutating func redeem(_ offer: StoreOffer, _ line: Int = 0) {
        lines[line].purchase.redeem(offer, at: now)
        tell("offer-redeemed", "OFFER_REDEEMED", of: line, status: 1)
    }

    /// The store cannot charge the customer at the end of his period.
    mutating func failToRenew(_ line: Int = 0, grace: Duration? = nil) {
        waitForEnd(of: line)
        lines[line].purchase.failToRenew(at: now, grace: grace)
        lines[line].lapse = .billingRetry
        if let until = lines[line].purchase.renewal?.gracePeriodExpiresDate {
            addPeriod(of: line, as: .gracePeriod, from: now, until: until)
        }
        tell(
            "not-renewed", "DID_FAIL_TO_RENEW", grace == nil ? nil : "GRACE_PERIOD", of: line,
            status: grace == nil ? 3 : 4)
    }

    /// The grace period ends, and the store still has no money.
    mutating func endGrace(_ line: Int = 0) {
        now = lines[line].purchase.renewal?.gracePeriodExpiresDate ?? now
        lines[line].purchase.endGrace(at: now)
        tell("grace-over", "GRACE_PERIOD_EXPIRED", of: line, status: 3)
    }

    /// The store gets its money at last.
    mutating func recover(_ line: Int = 0) {
        lines[line].purchase.recover(at: now)
        let start = lines[line].purchase.latest.purchaseDate
        // In the grace period the new period takes its place.
        lines[line].periods.removeAll { $0.reason == .gracePeriod && $0.from == start }
        lines[line].lapse = .expired
        addPeriod(of: line, as: .paid)
        tell("recovered", "DID_RENEW", "BILLING_RECOVERY", of: line, status: 1)
    }

    /// The store pays a transaction back, the newest unless given.
    ///
    /// - Parameter percentage: in thousandths of a percent.
    mutating func refund(_ line: Int = 0, transaction: Int? = nil, percentage: Int64 = 100_000) {
        let index = transaction ?? lines[line].purchase.transactions.count - 1
        let revoked = lines[line].purchase.revoke(index, at: now, percentage: percentage)
        let isRunning = revoked.expiresDate.map { now < $0 } ?? true
        if revoked.type == .consumable {
            let quantity = Double(revoked.quantity ?? 1) * Double(percentage) / 100_000
            coins.append(
                Story.CoinDeal(at: now, product: revoked.productID ?? "", quantity: -Int(quantity.rounded())))
        } else {
            end(transaction: index, of: line, at: now, by: .refunded)
        }
        tell("refunded", "REFUND", of: line, transaction: index, status: isRunning ? 5 : 1)
    }

    /// The store takes back what it has paid back.
    mutating func reverseRefund(_ line: Int = 0, transaction: Int? = nil) {
        let index = transaction ?? lines[line].purchase.transactions.count - 1
        lines[line].purchase.reverseRefund(of: index, at: now)
        let restored = lines[line].purchase.transactions[index]
        for period in lines[line].periods.indices
        where lines[line].periods[period].transactionId == restored.transactionID {
            lines[line].periods[period].until = restored.expiresDate
            lines[line].periods[period].endedBy = nil
        }
        tell("refund-reversed", "REFUND_REVERSED", of: line, transaction: index, status: 1)
    }

    /// The family no longer shares it.
    mutating func stopSharing(_ line: Int) {
        let index = lines[line].purchase.transactions.count - 1
        lines[line].purchase.revoke(index, at: now, percentage: nil)
        end(transaction: index, of: line, at: now, by: .notShared)
        tell("no-longer-shared", "REVOKE", of: line, status: 5)
    }

    /// The running period lasts longer.
    mutating func extend(by duration: Duration, _ line: Int = 0) {
        lines[line].purchase.extend(by: duration, at: now)
        if let last = lines[line].periods.indices.last {
            lines[line].periods[last].until = lines[line].purchase.latest.expiresDate
        }
        tell("extended", "RENEWAL_EXTENDED", of: line, status: 1)
    }

    /// The next period will cost more, and the customer is asked; or he agrees.
    mutating func raisePrice(to price: Int64, isAgreed: Bool, _ line: Int = 0) {
        lines[line].purchase.raisePrice(to: price, isAgreed: isAgreed, at: now)
        tell(
            isAgreed ? "price-agreed" : "price-increase", "PRICE_INCREASE", isAgreed ? "ACCEPTED" : "PENDING",
            of: line, status: 1)
    }

    /// The app restores its purchases: the store signs everything once more, in any order.
    mutating func restore() {
        var transactions = lines.flatMap(\.purchase.transactions)
        for index in transactions.indices.reversed().dropLast() {
            transactions.swapAt(index, Int(seed.number(below: UInt64(index + 1))))
        }
        for transaction in transactions {
            record("restored") { date in
                var transaction = transaction
                transaction.signedDate = date
                return [.transaction(transaction)]
            }
            wait(.seconds(11))
        }
    }
}

// How the truth is kept.
extension Storyteller {
    private mutating func add(
        _ product: StoreProduct, quantity: Int = 1, offer: StoreOffer? = nil, isShared: Bool = false
    ) -> Int {
        let purchase = store.buy(
            product, at: now, quantity: quantity, offer: offer,
            appAccountToken: isShared ? nil : setting.appAccountToken, ownership: isShared ? .familyShared : .purchased,
            download: isShared ? 1 : 0)
        lines.append(PurchaseLine(customer: isShared ? PurchaseLine.member : PurchaseLine.buyer, purchase: purchase))
        return lines.count - 1
    }

    private mutating func addPeriod(
        of line: Int, as reason: Holding.Reason, from start: Date? = nil, until end: Date? = nil
    ) {
        let transaction = lines[line].purchase.latest
        lines[line].periods.append(
            HeldPeriod(
                customer: lines[line].customer, productId: transaction.productID ?? "",
                transactionId: transaction.transactionID ?? "",
                originalTransactionId: transaction.originalTransactionID ?? "",
                from: start ?? transaction.purchaseDate ?? now, until: end ?? transaction.expiresDate, reason: reason))
    }

    /// A period that has run out already is not touched.
    private mutating func end(transaction index: Int, of line: Int, at date: Date, by reason: Holding.Reason) {
        let id = lines[line].purchase.transactions[index].transactionID
        for period in lines[line].periods.indices
        where lines[line].periods[period].transactionId == id && lines[line].periods[period].contains(date) {
            lines[line].periods[period].until = date
            lines[line].periods[period].endedBy = reason
        }
    }

    private func reason(of offer: StoreOffer?) -> Holding.Reason {
        guard let offer else { return .paid }
        return offer.kind == .introductory && offer.price == 0 ? .trial : .offer
    }
}

extension PurchaseLine {
    fileprivate var isShared: Bool { customer == Self.member }
}
