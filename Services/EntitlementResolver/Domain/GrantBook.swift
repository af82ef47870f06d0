internal import Messages

/// What a subscription grants, kept so that one more piece of news is taken in without looking at all others anew.
package struct GrantBook: Sendable {
    /// Names a grant, until the next news.
    enum Place: Hashable, Sendable {
        /// What a transaction grants by itself.
        case term(Int)
        /// What came behind that.
        case grace(Int)
    }

    private struct Grace: Sendable {
        var transaction: Int
        var period: GrantPeriod
    }

    package private(set) var subscription: Subscription
    /// Of the transactions by themselves.
    private var terms: [Term?]
    /// By start.
    private var graces: [Grace] = []

    package init(of subscription: Subscription) {
        self.subscription = subscription
        terms = []
        terms.reserveCapacity(subscription.transactions.count)
        for index in subscription.transactions.indices { terms.append(term(at: index)) }
        learnGraces()
    }

    // MARK: What comes

    /// Takes what is told of one transaction now; nil: nothing any more.
    mutating func learn(_ told: StoreTransaction?, of id: TransactionID) {
        let move = subscription.tell(told, of: id)
        if let from = move.from { terms.remove(at: from) }
        if let to = move.to { terms.insert(nil, at: to) }
        // A transaction's term hangs on itself and on the next one.
        for place in [move.from, move.to].compactMap(\.self) {
            for index in (place - 1)...(place + 1) where terms.indices.contains(index) {
                terms[index] = term(at: index)
            }
        }
        learnGraces()
    }

    /// Takes all that the store says now of what will become of it.
    mutating func learn(_ renewals: [StoreRenewal]) {
        subscription.renewals = renewals
        learnGraces()
    }

    private mutating func learnGraces() {
        guard subscription.renewals.contains(where: { $0.graceExpiresAt != nil }) else {
            graces = []
            return
        }
        graces = GracePeriods(of: subscription, terms).all.map { Grace(transaction: $0, period: $1) }
            .sorted { ($0.period.start, $0.transaction) < ($1.period.start, $1.transaction) }
    }

    private func term(at index: Int) -> Term? {
        let transactions = subscription.transactions
        return transactions[index].term(before: index + 1 < transactions.count ? transactions[index + 1] : nil)
    }

    // MARK: What it grants

    /// Whether a transaction unlocks anything at any time.
    func grantsAnything(by transaction: StoreTransaction) -> Bool {
        let index = subscription.firstIndex { $0.purchasedAt >= transaction.purchasedAt }
        let same = subscription.transactions[index...].prefix { $0.purchasedAt == transaction.purchasedAt }
        return same.indices.contains { terms[$0] != nil && same[$0].id == transaction.id }
    }

    /// All, by start.
    package var grants: [Grant] {
        let last = Last(of: self)
        return places.map { grant(at: $0, last) }.sorted { left, right in
            left.period.start != right.period.start
                ? left.period.start < right.period.start : left.transaction.id < right.transaction.id
        }
    }

    /// In the order of the transactions; then the graces, by start.
    var places: [Place] { terms.indices.filter { terms[$0] != nil }.map(Place.term) + graces.indices.map(Place.grace) }

    /// Which transaction it is of, by its number; of one of ``places``.
    private func index(of place: Place) -> Int {
        switch place {
        case .term(let index): index
        case .grace(let index): graces[index].transaction
        }
    }

    /// What was bought; of one of ``places``.
    func product(at place: Place) -> ProductID { subscription.transactions[index(of: place)].product }

    /// Which purchase it is of; of one of ``places``.
    func purchase(at place: Place) -> (id: TransactionID, at: Timestamp) {
        let index = index(of: place)
        return (subscription.transactions[index].id, subscription.transactions[index].purchasedAt)
    }

    /// From when until when; of one of ``places``.
    func period(at place: Place) -> GrantPeriod { term(at: place).period }

    /// All of it; of one of ``places``.
    func grant(at place: Place) -> Grant { grant(at: place, Last(of: self)) }

    private func grant(at place: Place, _ last: Last) -> Grant {
        let (transaction, term) = (subscription.transactions[index(of: place)], term(at: place))
        return Grant(
            transaction: transaction, period: term.period, reason: term.reason,
            endedBy: term.endedBy == .expired
                ? reasonOfEnd(of: transaction.product, at: term.period.end, last) : term.endedBy)
    }

    private func term(at place: Place) -> Term {
        switch place {
        case .term(let index):
            let start = subscription.transactions[index].purchasedAt
            return terms[index]
                ?? Term(period: GrantPeriod(start: start, end: start), reason: .paid, endedBy: .expired)
        case .grace(let index):
            return Term(period: graces[index].period, reason: .gracePeriod, endedBy: .expired)
        }
    }

    // MARK: Why it ended

    /// The end of all; nil while something lasts for ever.
    private struct Last {
        var end: Timestamp?

        init(of book: GrantBook) {
            var end = Timestamp.distantPast
            for term in book.terms {
                guard let term else { continue }
                guard let its = term.period.end else { return }
                end = max(end, its)
            }
            for grace in book.graces {
                guard let its = grace.period.end else { return }
                end = max(end, its)
            }
            self.end = end
        }
    }

    /// What ran out at the end of its time did so for the reason that the store told last, if it is the last of all.
    private func reasonOfEnd(of product: ProductID, at end: Timestamp?, _ last: Last) -> EntitlementReason {
        guard let end else { return .expired }
        if beginsOther(than: product, at: end) { return .switched }
        return end == last.end ? subscription.outlook?.reasonOfEnd ?? .expired : .expired
    }

    private func beginsOther(than product: ProductID, at time: Timestamp) -> Bool {
        let transactions = subscription.transactions
        let first = subscription.firstIndex { $0.purchasedAt >= time }
        let begun = transactions[first...].prefix { $0.purchasedAt == time }.indices
        if begun.contains(where: { terms[$0] != nil && transactions[$0].product != product }) { return true }
        return graces[graces.partitioningIndex { $0.period.start >= time }...].prefix { $0.period.start == time }
            .contains { transactions[$0.transaction].product != product }
    }
}
