/// Says who may claim names for an app's events; what is claimed already everybody may use. Sent by the operator's tool.
/// Key: `<organisation>/<app>`. Of two the one that was accepted last counts.
public struct EventNameRule: Command {
    /// `event-name.rule.v1`
    public static let kind: MessageKind = "event-name.rule.v1"
    /// The one that keeps events.
    public static let recipient = ServiceName.eventIngest
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The names as they are then.
    public typealias Value = EventNameBook

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// `attested`: attested callers alone; absent: anybody.
    public var claims: Trust?

    /// A command of these.
    public init(organisation: OrganisationID, app: AppID, claims: Trust?) {
        self.organisation = organisation
        self.app = app
        self.claims = claims
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}
