package import Messages

/// An install that has seen its variant.
package struct Exposure: Hashable, Sendable {
    /// What purchases are credited within, each for itself: what is played through in a sandbox takes nothing away from
    /// production.
    package struct Field: Hashable, Sendable {
        package var app: AppID
        package var experiment: ExperimentID
        package var environment: StoreEnvironment
    }

    package var field: Field
    /// Of its first impression: attested or not.
    package var trust: Trust
    package var install: InstallID
    package var variant: VariantKey
    package var epoch: Int
    /// When it was seen first; never before the install was assigned.
    package var exposedAt: Timestamp
    /// When anybody told of it first, attested or not.
    package var seenAt: Timestamp

    package init(
        field: Field, trust: Trust, install: InstallID, variant: VariantKey, epoch: Int, exposedAt: Timestamp,
        seenAt: Timestamp? = nil
    ) {
        self.field = field
        self.trust = trust
        self.install = install
        self.variant = variant
        self.epoch = epoch
        self.exposedAt = exposedAt
        self.seenAt = seenAt ?? exposedAt
    }

    /// What is known once `other` is told of the same install in the same field.
    package func joined(with other: Exposure) -> Exposure {
        var best = other.counts(before: self) ? other : self
        best.seenAt = min(seenAt, other.seenAt)
        return best
    }

    /// What it is for a user whom the install has named. Of whom no attested caller has named it is what anybody may say:
    /// else whoever knows an install that is attested could give it the purchases of others.
    package func told(toAttested isAttested: Bool) -> Exposure {
        var told = self
        if !isAttested { (told.trust, told.exposedAt) = (.unverified, seenAt) }
        told.seenAt = told.exposedAt
        return told
    }

    /// Whether it counts where `other` is told of the same install in the same field: what a genuine app has seen counts
    /// before what anybody may say, whatever comes first; of the same trust the earlier one counts. Two that are neither
    /// before the other say the same.
    package func counts(before other: Exposure) -> Bool {
        if trust != other.trust { return trust == .attested }
        return exposedAt < other.exposedAt
    }
}

extension Trust {
    /// Attested, or not: other words count as none.
    package var asCaller: Trust { self == .attested ? .attested : .unverified }
}
