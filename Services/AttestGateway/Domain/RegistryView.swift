package import Messages

/// What an edge knows of apps, keys and devices: put together from a snapshot and from events, in any order.
///
/// A record's version decides: the higher one stays, whichever came last. The registry never takes a record away.
package struct RegistryView: Sendable, Equatable {
    /// The highest version that has come.
    package private(set) var version: Int
    private var apps: [AppID: [OrganisationID: AppRecord]] = [:]
    private var keys: [String: KeyRecord] = [:]
    /// Those of which not every token is good.
    private var devices: [AttestedDevice: DeviceStanding] = [:]
    /// Whose token has this digest.
    private var notified: [String: AppName] = [:]

    /// What `snapshot` says, and nothing else.
    package init(_ snapshot: RegistrySnapshot.Value) {
        version = snapshot.version
        merge(snapshot)
    }

    /// Adds what is newer in `snapshot`; records that events have brought since it was taken stay.
    package mutating func merge(_ snapshot: RegistrySnapshot.Value) {
        version = max(version, snapshot.version)
        for app in snapshot.apps { take(app) }
        for key in snapshot.keys { take(key) }
        for device in snapshot.devices ?? [] { take(device) }
    }

    /// - Returns: whether it was news.
    @discardableResult
    package mutating func take(_ record: AppRecord) -> Bool {
        let known = apps[record.app]?[record.organisation]
        if let known, known.version >= record.version { return false }
        apps[record.app, default: [:]][record.organisation] = record
        let name = AppName(record)
        for token in known?.notificationTokens ?? [] where notified[token.digest] == name {
            notified[token.digest] = nil
        }
        for token in record.notificationTokens ?? [] { notified[token.digest] = name }
        version = max(version, record.version)
        return true
    }

    /// - Returns: whether it was news.
    @discardableResult
    package mutating func take(_ record: KeyRecord) -> Bool {
        if let known = keys[record.digest], known.version >= record.version { return false }
        keys[record.digest] = record
        version = max(version, record.version)
        return true
    }

    /// - Returns: whether it was news.
    @discardableResult
    package mutating func take(_ standing: DeviceStanding) -> Bool {
        let device = AttestedDevice(standing)
        // 0: the first attestation, on which nothing depends.
        guard standing.version > devices[device]?.version ?? 0 else { return false }
        devices[device] = standing
        version = max(version, standing.version)
        return true
    }

    /// The app of this bundle id, for a caller who says no more: nil unless exactly one organisation has connected it.
    package func app(_ bundle: AppID) -> AppRecord? {
        guard let candidates = apps[bundle], candidates.count == 1 else { return nil }
        return candidates.values.first
    }

    /// The app of this bundle id within `organisation`.
    package func app(_ bundle: AppID, of organisation: OrganisationID) -> AppRecord? { apps[bundle]?[organisation] }

    /// The app whose secret for notifications has this SHA-256, if it is good at `now`.
    package func app(notificationToken digest: String, at now: Timestamp) -> AppRecord? {
        guard let name = notified[digest], let app = app(name.app, of: name.organisation) else { return nil }
        let token = app.notificationTokens?.first { $0.digest == digest }
        return token?.isGood(at: now) == true ? app : nil
    }

    /// The key with this SHA-256.
    package func key(digest: String) -> KeyRecord? { keys[digest] }

    /// Whether neither a revocation nor a later attestation has ended `token`.
    package func accepts(_ token: DeviceToken) -> Bool {
        guard let standing = devices[token.device] else { return true }
        return standing.revokedAt == nil && Int(token.generation) >= standing.leastGeneration
    }

    /// All of it, to be kept for a start without a registry.
    package var snapshot: RegistrySnapshot.Value {
        RegistrySnapshot.Value(
            version: version,
            apps: apps.values.flatMap(\.values).sorted { ($0.organisation, $0.app) < ($1.organisation, $1.app) },
            keys: keys.values.sorted { ($0.organisation, $0.id) < ($1.organisation, $1.id) },
            devices: devices.isEmpty ? nil : devices.values.sorted { $0.version < $1.version })
    }
}
