/// Who a user is: creates him, merges his attributes, moves his last-seen forward. Sent by edges. Key:
/// `<organisation>/<user>`.
public struct UserIdentify: Command {
    /// `user.identify.v1`
    public static let kind: MessageKind = "user.identify.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The app that speaks.
    public var app: AppID
    /// The user.
    public var user: AppUserID
    /// `ios` or `android`; absent stays as it was, as do the next three.
    public var platform: String?
    /// As the device says.
    public var osVersion: String?
    /// As the device says.
    public var deviceModel: String?
    /// As the device says.
    public var locale: String?
    /// Merged key by key; null removes a key.
    public var attributes: [String: AttributeValue]?
    /// What is known of the caller. Believed only from an edge.
    public var trust: Trust

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, user: AppUserID, platform: String? = nil, osVersion: String? = nil,
        deviceModel: String? = nil, locale: String? = nil, attributes: [String: AttributeValue]? = nil, trust: Trust
    ) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.platform = platform
        self.osVersion = osVersion
        self.deviceModel = deviceModel
        self.locale = locale
        self.attributes = attributes
        self.trust = trust
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }
}
