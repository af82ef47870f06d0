internal import Lane
internal import Messages
internal import SQLite

/// `registry.snapshot.v1`: all apps and keys, as of one moment.
struct ShowRegistry: QueryHandler {
    func answer(_ query: RegistrySnapshot, in snapshot: borrowing Snapshot) throws -> Verdict<RegistrySnapshot.Value> {
        .applied(
            RegistrySnapshot.Value(
                version: try RegistryVersion.current(in: snapshot), apps: try AppStore.records(in: snapshot),
                keys: try KeyStore.records(in: snapshot)))
    }
}
