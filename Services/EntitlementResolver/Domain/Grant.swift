package import Messages

/// A span of time in which a transaction unlocks what its product is mapped to, and why.
package struct Grant: Hashable, Sendable {
    package var transaction: StoreTransaction
    package var period: GrantPeriod
    /// Why it unlocks something.
    package var reason: EntitlementReason
    /// Why it does so no longer at the end of its period, if it has one.
    package var endedBy: EntitlementReason
}

extension Subscription {
    /// When and why it unlocks something, by start.
    ///
    /// Each transaction does for its own period, and from its end on for as long as the store let the customer have it
    /// without being able to charge him.
    package var grants: [Grant] { GrantBook(of: self).grants }
}

/// When a transaction unlocks something, and why, as far as it says so itself.
struct Term: Hashable, Sendable {
    var period: GrantPeriod
    var reason: EntitlementReason
    var endedBy: EntitlementReason
}

extension StoreTransaction {
    /// When and why it unlocks something; nil: never.
    ///
    /// A consumable is used up. Without an end a subscription that renews is not believed to last for ever; what does not
    /// renew is. A product type that is absent or unknown is judged like one that does not renew.
    ///
    /// - Parameter next: what the chain went on with: an upgrade, if this one was upgraded.
    func term(before next: StoreTransaction?) -> Term? {
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
        return Term(period: GrantPeriod(start: purchasedAt, end: end), reason: reasonOfGrant, endedBy: endedBy)
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
    var reasonOfEnd: EntitlementReason {
        if isInBillingRetry == true { return .billingRetry }
        return switch expirationIntent {
        case 1: .cancelled
        case 2: .notCharged
        case 3: .priceNotAgreed
        default: .expired
        }
    }
}
