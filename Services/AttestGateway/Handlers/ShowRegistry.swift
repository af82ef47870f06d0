internal import Lane
internal import Messages
internal import SQLite

/// `registry.snapshot.v1`: all apps and keys, and the devices that edges have to know of, as of one moment.
struct ShowRegistry: QueryHandler {
    let now: @Sendable () -> Timestamp

    func answer(_ query: RegistrySnapshot, in snapshot: borrowing Snapshot) throws -> Verdict<RegistrySnapshot.Value> {
        .applied(
            RegistrySnapshot.Value(
                version: try RegistryVersion.current(in: snapshot), apps: try AppStore.records(in: snapshot),
                keys: try KeyStore.records(in: snapshot),
                devices: query.omitsDevices == true ? nil : try DeviceStore.standings(at: now(), in: snapshot)))
    }
}
