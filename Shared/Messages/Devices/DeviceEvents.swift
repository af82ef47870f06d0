/// A device was enrolled, for the first time or anew. Published by the registry; edges take it on queues of their own.
/// Key: organisation, app and key id.
public struct DeviceAttested: Event {
    /// `device.attested.v1`
    public static let kind: MessageKind = "device.attested.v1"
    /// The registry.
    public static let owner = ServiceName.attestGateway
    /// None but the edges.
    public static let subscribers: [ServiceName] = []

    /// The device as it is now.
    public var device: DeviceStanding

    /// An event about this device.
    public init(device: DeviceStanding) { self.device = device }

    /// Organisation, app and key id.
    public var key: String { device.key }
}

/// A device was revoked by an operator. Published by the registry; edges take it on queues of their own. Key:
/// organisation, app and key id.
public struct DeviceRevoked: Event {
    /// `device.revoked.v1`
    public static let kind: MessageKind = "device.revoked.v1"
    /// The registry.
    public static let owner = ServiceName.attestGateway
    /// None but the edges.
    public static let subscribers: [ServiceName] = []

    /// The device as it is now.
    public var device: DeviceStanding

    /// An event about this device.
    public init(device: DeviceStanding) { self.device = device }

    /// Organisation, app and key id.
    public var key: String { device.key }
}
