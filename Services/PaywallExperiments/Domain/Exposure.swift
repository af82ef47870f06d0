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
