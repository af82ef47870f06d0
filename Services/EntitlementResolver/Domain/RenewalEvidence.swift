package import Messages

/// What a store once signed about the future of a subscription.
package struct RenewalEvidence: Hashable, Sendable {
    package var renewal: StoreRenewal
    package var source: Evidence.Source

    package init(_ renewal: StoreRenewal, from source: Evidence.Source) {
        self.renewal = renewal
        self.source = source
    }

    /// Whether it counts in place of `other`: the newer signed date does. Between equals the greater source decides, so
    /// that the order of arrival does not.
    package func supersedes(_ other: RenewalEvidence) -> Bool {
        renewal.signedAt != other.renewal.signedAt
            ? renewal.signedAt > other.renewal.signedAt : other.source < source
    }

    /// What decides anything of all that was ever signed about a chain, oldest first: the newest says what comes; of each
    /// grace period that was ever given the newest word is needed, and the first after it that says otherwise. What
    /// decides nothing may be left out of `all`.
    package static func deciding(among all: some Collection<RenewalEvidence>) -> [StoreRenewal] {
        guard let newest = all.max(by: { $1.supersedes($0) }) else { return [] }
        var graces: [Timestamp: RenewalEvidence] = [:]
        for evidence in all {
            guard let until = evidence.renewal.graceExpiresAt else { continue }
            if graces[until].map(evidence.supersedes) ?? true { graces[until] = evidence }
        }
        let ends = graces.values.compactMap { grace in
            all.filter { $0.renewal.ends(grace.renewal) }.min { $1.supersedes($0) }
        }
        return Set([newest] + graces.values + ends).sorted { $1.supersedes($0) }.map(\.renewal)
    }
}

extension StoreRenewal {
    /// Whether it says that a grace period is over before its time: it was signed in it, and no longer speaks of it.
    package func ends(_ grace: StoreRenewal) -> Bool {
        guard let until = grace.graceExpiresAt else { return false }
        return renewsAt == grace.renewsAt && graceExpiresAt != until && signedAt > grace.signedAt && signedAt < until
    }
}
