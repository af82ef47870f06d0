package import Messages

/// A span of time in which a transaction unlocks what its product is mapped to, and why.
package struct Grant: Hashable, Sendable {
    package var transaction: StoreTransaction
    package var period: GrantPeriod
    /// Why it unlocks something.
    package var reason: EntitlementReason
    /// Why it does so no longer at the end of its period, if it has one.
    package var endedBy: EntitlementReason

    /// Whether the transaction was not cut short: what comes at its end may be grace.
    fileprivate var isFull: Bool { period.end != nil && period.end == transaction.expiresAt }
}

extension Subscription {
    /// Apple's longest grace period is 28 days; what ended longer before its end is not what it prolongs.
    private static let longestGrace = Duration.seconds(28 * 86_400)

    /// When and why it unlocks something, by start.
    ///
    /// Each transaction does for its own period, and from its end on for as long as the store let the customer have it
    /// without being able to charge him.
    package var grants: [Grant] {
        var grants: [Grant] = []
        for (index, transaction) in transactions.enumerated() {
            if let grant = transaction.grant(before: successor(of: index)) { grants.append(grant) }
        }
        grants += graces(after: grants)
        grants.sort { left, right in
            left.period.start != right.period.start
                ? left.period.start < right.period.start : left.transaction.id < right.transaction.id
        }
        nameEnds(of: &grants)
        return grants
    }

    private func successor(of index: Int) -> StoreTransaction? {
        index + 1 < transactions.count ? transactions[index + 1] : nil
    }

    /// One for each grant that is prolonged. A new period takes the place of the grace before it was charged.
    private func graces(after grants: [Grant]) -> [Grant] {
        var graces: [TransactionID: Grant] = [:]
        for renewal in renewals {
            guard let until = renewal.graceExpiresAt,
                let prolonged = prolonged(by: renewal, until: until, among: grants),
                let start = prolonged.transaction.expiresAt
            else { continue }
            let told = renewals.lazy.filter { $0.ends(renewal) }.map(\.signedAt).min()
            let next = transactions.firstIndex(of: prolonged.transaction).flatMap(successor)?.purchasedAt
            let end = [until, told, next].compactMap(\.self).min() ?? until
            let known = graces[prolonged.transaction.id]?.period.end ?? start
            guard end > known else { continue }
            graces[prolonged.transaction.id] = Grant(
                transaction: prolonged.transaction, period: GrantPeriod(start: start, end: end), reason: .gracePeriod,
                endedBy: .expired)
        }
        return Array(graces.values)
    }

    /// The grant that a grace period goes on from: the one that the store names by its end, or else the last before.
    private func prolonged(by renewal: StoreRenewal, until: Timestamp, among grants: [Grant]) -> Grant? {
        let full = grants.filter(\.isFull)
        if let named = full.last(where: { $0.period.end == renewal.renewsAt }) { return named }
        return full.last { grant in
            guard let end = grant.period.end else { return false }
            return end < until && end >= until - Self.longestGrace
        }
    }

    /// What ran out at the end of its time did so for the reason that the store told last, if it is the last of all.
    private func nameEnds(of grants: inout [Grant]) {
        let last = grants.compactMap(\.period.end).max()
        let isOver = grants.allSatisfy { $0.period.end != nil }
        // By start, once: a chain may have any number of periods.
        let begun = Dictionary(grouping: grants.indices) { grants[$0].period.start }
            .mapValues { indices in Set(indices.map { grants[$0].transaction.product }) }
        for index in grants.indices where grants[index].endedBy == .expired {
            let (end, product) = (grants[index].period.end, grants[index].transaction.product)
            if end.flatMap({ begun[$0] })?.contains(where: { $0 != product }) == true {
                grants[index].endedBy = .switched
            } else if isOver && end == last {
                grants[index].endedBy = outlook?.reasonOfEnd ?? .expired
            }
        }
    }
}

extension StoreTransaction {
    /// When and why it unlocks something; nil: never.
    ///
    /// A consumable is used up. Without an end a subscription that renews is not believed to last for ever; what does not
    /// renew is. A product type that is absent or unknown is judged like one that does not renew.
    ///
    /// - Parameter next: what the chain went on with: an upgrade, if this one was upgraded.
    fileprivate func grant(before next: StoreTransaction?) -> Grant? {
        guard productType != .consumable, productType != .autoRenewable || expiresAt != nil else { return nil }
        let paidUntil = productType == .nonConsumable ? nil : expiresAt
        // Nothing says when it was upgraded but what came in its place; when it was signed as such, it was.
        let upgradedAt = isUpgraded == true ? [next?.purchasedAt, signedAt].compactMap(\.self).min() : nil
        let end = [paidUntil, revokedAt, upgradedAt].compactMap(\.self).min()
        if let end, end <= purchasedAt { return nil }
        var endedBy = EntitlementReason.expired
        if let end, end != paidUntil {
            if end == upgradedAt || isSwitched(to: next) {
                endedBy = .switched
            } else if ownership == "FAMILY_SHARED" || revocationType == "FAMILY_REVOKE" {
                endedBy = .notShared
            } else {
                endedBy = .refunded
            }
        }
        return Grant(
            transaction: self, period: GrantPeriod(start: purchasedAt, end: end), reason: reasonOfGrant,
            endedBy: endedBy)
    }

    /// Receipts do not tell a switch from a refund; but nobody is paid back at the very moment at which he gets something
    /// else of the same chain.
    private func isSwitched(to next: StoreTransaction?) -> Bool {
        guard let next, revocationType == nil else { return false }
        return next.purchasedAt == revokedAt && next.product != product
    }

    private var reasonOfGrant: EntitlementReason {
        if ownership == "FAMILY_SHARED" { return .shared }
        guard productType == .autoRenewable else { return .bought }
        guard let offerType else { return .paid }
        let isFree = offerDiscount == "FREE_TRIAL" || priceMilliunits == 0
        return offerType == 1 && isFree ? .trial : .offer
    }
}

extension StoreRenewal {
    /// Why the subscription has ended, if it has.
    fileprivate var reasonOfEnd: EntitlementReason {
        if isInBillingRetry == true { return .billingRetry }
        return switch expirationIntent {
        case 1: .cancelled
        case 2: .notCharged
        case 3: .priceNotAgreed
        default: .expired
        }
    }
}
