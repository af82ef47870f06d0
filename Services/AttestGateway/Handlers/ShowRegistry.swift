internal import Lane
internal import Messages
internal import SQLite

/// `registry.snapshot.v1`: all apps and keys, and the devices that edges have to know of, as of one moment.
struct ShowRegistry: QueryHandler {
    let now: @Sendable () -> Timestamp
    /// How many devices an answer may have: about a megabyte.
    var pageSize = 4000

    func answer(_ query: RegistrySnapshot, in snapshot: borrowing Snapshot) throws -> Verdict<RegistrySnapshot.Value> {
        let version = try RegistryVersion.current(in: snapshot)
        guard query.devicesAfter == nil else {
            guard let place = query.devicesAfter.flatMap(DeviceStore.Place.init(cursor:)) else {
                return .refused(Refusal("cursor_invalid", "devicesAfter is not what an answer said"))
            }
            var value = RegistrySnapshot.Value(version: version, apps: [], keys: [])
            try addDevices(to: &value, after: place, in: snapshot)
            return .applied(value)
        }
        var value = RegistrySnapshot.Value(
            version: version, apps: try AppStore.records(in: snapshot), keys: try KeyStore.records(in: snapshot))
        if query.omitsDevices != true { try addDevices(to: &value, after: nil, in: snapshot) }
        return .applied(value)
    }

    private func addDevices(
        to value: inout RegistrySnapshot.Value, after place: DeviceStore.Place?, in snapshot: borrowing Snapshot
    ) throws {
        let devices = try DeviceStore.withDeadTokens(
            after: place ?? DeviceStore.Place(before: now()), limit: pageSize, in: snapshot)
        value.devices = devices.map(\.record.standing)
        value.devicesNext = devices.count < pageSize ? nil : devices.last.flatMap(DeviceStore.Place.init)?.cursor
    }
}
