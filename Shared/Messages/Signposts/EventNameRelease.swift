/// Takes names of an app's events back: what was accepted until then under them is dropped, and they may be claimed again,
/// or others in their place. Sent by the operator's tool. Key: `<organisation>/<app>`. Refused: `too_many_names` for more
/// names than come at once, or than may be taken back (``EventNameBook/mostReleased``).
public struct EventNameRelease: Command {
    /// `event-name.release.v1`
    public static let kind: MessageKind = "event-name.release.v1"
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
    /// The names.
    public var names: [EventName]

    /// A command of these.
    public init(organisation: OrganisationID, app: AppID, names: [EventName]) {
        self.organisation = organisation
        self.app = app
        self.names = names
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }
}
