internal import Lane
internal import Messages
internal import SQLite

/// `devices.page.v1`: which devices there are.
struct PageDevices: QueryHandler {
    static let isLengthy = true

    /// How many a page may have.
    var pageSize = 200
    /// How many are looked at for it.
    var mostLooked = 2000

    func answer(_ query: DevicesPage, in snapshot: borrowing Snapshot) throws -> Verdict<DevicesPage.Value> {
        if let keyID = query.keyID, let organisation = query.organisation, let app = query.app {
            let device = try keyID.digest.flatMap { digest in
                try DeviceStore.device(DeviceKeyID(digest: digest), of: organisation, app: app, in: snapshot)
            }
            return .applied(.init(devices: device.map { [$0.record] } ?? [], next: nil))
        }
        var devices: [DeviceRecord] = []
        var last: DeviceStanding?
        var (looked, hasMore) = (0, false)
        try DeviceStore.visit(after: query.place, in: snapshot) { device in
            guard query.mayGoOn(at: device.standing) else { return .stop }
            hasMore = looked == mostLooked || devices.count == pageSize
            guard !hasMore else { return .stop }
            looked += 1
            last = device.standing
            if query.takes(device) { devices.append(device) }
            return .next
        }
        return .applied(.init(devices: devices, next: hasMore ? last?.key : nil))
    }
}

extension DevicesPage {
    /// Behind which device the page begins. Only the last part of a cursor may have a slash in it.
    fileprivate var place: (organisation: OrganisationID, app: AppID, keyID: DeviceKeyID) {
        let parts = after?.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        if let parts, parts.count == 3 {
            return (OrganisationID(rawValue: parts[0]), AppID(rawValue: parts[1]), DeviceKeyID(rawValue: parts[2]))
        }
        let none = AppID(rawValue: "")
        return (
            organisation ?? OrganisationID(rawValue: ""), organisation == nil ? none : app ?? none,
            DeviceKeyID(rawValue: "")
        )
    }

    /// Whether there may be more behind it: they come in the order of organisation and app.
    fileprivate func mayGoOn(at device: DeviceStanding) -> Bool {
        guard let organisation else { return true }
        return device.organisation == organisation && (app.map { device.app == $0 } ?? true)
    }

    fileprivate func takes(_ device: DeviceRecord) -> Bool {
        let standing = device.standing
        return (app.map { standing.app == $0 } ?? true)
            && (keyID.map { $0.digest == standing.keyID.digest } ?? true)
            && (environment.map { standing.environment == $0 } ?? true)
            && (state.map { $0 == (standing.revokedAt == nil ? .active : .revoked) } ?? true)
            && (attestedFrom.map { device.attestedAt >= $0 } ?? true)
            && (attestedBefore.map { device.attestedAt < $0 } ?? true)
    }
}
