/// Ends a device for good: its tokens are refused by every edge, it gets no more of them, and it is not enrolled again.
///
/// Sent by the operator's tool to the registry. Key: organisation, app and key id. Refused: `device_unknown`.
public struct DeviceRevoke: Command {
    /// `device.revoke.v1`
    public static let kind: MessageKind = "device.revoke.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The device as it is then.
    public typealias Value = DeviceRecord

    /// Whose app it is.
    public var organisation: OrganisationID
    /// Its bundle id.
    public var app: AppID
    /// Which device.
    public var keyID: DeviceKeyID
    /// Why, for whoever looks later: up to 500 bytes are kept.
    public var why: String?

    /// A command of these.
    public init(organisation: OrganisationID, app: AppID, keyID: DeviceKeyID, why: String? = nil) {
        self.organisation = organisation
        self.app = app
        self.keyID = keyID
        self.why = why
    }

    /// Organisation, app and key id.
    public var key: String { Key.device(organisation, app, keyID) }
}
