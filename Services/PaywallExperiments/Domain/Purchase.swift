package import Messages

/// A purchase or renewal of a user with all that decides what it counts for, from the set of what was told of it.
package struct Purchase: Hashable, Sendable {
    /// A time during which the chain was his, as one telling has it.
    package struct Span: Hashable, Sendable {
        package var linkedAt: Timestamp
        /// Nil: it was his still when it was told.
        package var lostAt: Timestamp?
    }

    /// Links that are made, or move, so long after a purchase do not change what it counts for.
    package static let linkingPeriod = Duration.seconds(30 * 86_400)
    /// More than anybody pays, in thousandths of a unit: sums of what is at most this do not overflow.
    package static let mostMilliunits: Int64 = 1_000_000_000_000

    /// What was told under the highest revision.
    package var told: CustomerPurchase
    /// All times that he has had it, by any telling.
    package var spans: [Span]
    /// What was told of a refund under the highest revision.
    package var refund: CustomerRefund?

    package init(told: CustomerPurchase, spans: [Span], refund: CustomerRefund?) {
        self.told = told
        self.spans = spans
        self.refund = refund
    }

    /// The first purchase of the chain: renewals count for what it counts for.
    package var chainBeganAt: Timestamp { min(told.chainBeganAt, told.purchasedAt) }

    /// Whether it is this user's for what it counts for: he held it when the linking period ended, or holds it within it,
    /// and has paid for it himself.
    package var counts: Bool {
        guard !told.isFamilyShared, told.isHeld || told.lostAt != nil else { return false }
        let end = chainBeganAt + Self.linkingPeriod
        if told.isHeld, told.linkedAt <= end { return true }
        return (spans + [Span(linkedAt: told.linkedAt, lostAt: told.lostAt)]).contains { span in
            span.linkedAt <= end && span.lostAt.map { $0 > end } ?? false
        }
    }

    /// Whether it was bought in `app`, as far as the evidence tells; what test apps sign is of that app alone.
    package func isOf(_ app: AppID) -> Bool {
        guard told.realm == .stores || told.realm == Realm(app) else { return false }
        return told.app.map { $0 == app } ?? true
    }

    /// As it is credited for an exposure of this trust.
    package func credit(by trust: Trust) -> OutcomeCredit.Purchase {
        let paid = told.currency == nil ? nil : told.priceMilliunits.map { min(max(0, $0), Self.mostMilliunits) }
        var credit = OutcomeCredit.Purchase(
            purchasedAt: told.purchasedAt, isFirst: told.purchasedAt <= told.chainBeganAt,
            currency: paid == nil ? nil : told.currency, paidMilliunits: paid, rank: told.rank, trust: trust)
        guard let refund, refund.isRefunded else { return credit }
        credit.refund = refund.isWhole ? .full : .partial
        credit.refundedMilliunits = refund.part(of: paid ?? 0)
        return credit
    }
}
