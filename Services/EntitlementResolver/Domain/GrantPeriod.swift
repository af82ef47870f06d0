package import Messages

/// The time during which a transaction unlocks what its product is mapped to.
package struct GrantPeriod: Hashable, Sendable {
    package var start: Timestamp
    /// Not part of it; nil: never ends.
    package var end: Timestamp?

    package init(start: Timestamp, end: Timestamp?) {
        self.start = start
        self.end = end
    }

    package func contains(_ time: Timestamp) -> Bool {
        guard start <= time else { return false }
        guard let end else { return true }
        return time < end
    }
}

extension StoreTransaction {
    /// When it unlocks something; nil: never.
    ///
    /// A consumable is used up, and an upgraded subscription has been replaced by another transaction. Without an end a
    /// subscription that renews is not believed to last for ever; what does not renew is. A product type that is absent
    /// or unknown is judged like one that does not renew.
    package var grantPeriod: GrantPeriod? {
        guard productType != .consumable, isUpgraded != true else { return nil }
        if productType == .autoRenewable && expiresAt == nil { return nil }
        let paidUntil = productType == .nonConsumable ? nil : expiresAt
        let end = [paidUntil, revokedAt].compactMap(\.self).min()
        if let end, end <= purchasedAt { return nil }
        return GrantPeriod(start: purchasedAt, end: end)
    }
}

/// When a chain was paid for, in any environment.
package struct Activity: Hashable, Sendable {
    private var periods: [GrantPeriod]

    package init(of transactions: some Sequence<StoreTransaction>) { periods = transactions.compactMap(\.grantPeriod) }

    /// Of a chain without evidence.
    package static let none = Activity(of: [])

    package func isActive(at time: Timestamp) -> Bool { periods.contains { $0.contains(time) } }
}
