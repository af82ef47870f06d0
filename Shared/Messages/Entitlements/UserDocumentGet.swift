public import JSON

/// Asks for a user as the server API tells of him. Sent by edges, which pass the answer on as it is written: to read a
/// ``UserView`` and to write it anew would be a quarter of what a read costs them. Key: `<organisation>/<user>`.
///
/// Refused: `user_unknown`, `app_unknown`.
public struct UserDocumentGet: Query {
    /// `user.document.v1`
    public static let kind: MessageKind = "user.document.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The document.
    public typealias Value = JSONFragment<UserAnswer>

    /// Whose user he is.
    public var organisation: OrganisationID
    /// The app that asks: its mapping decides what a purchase unlocks.
    public var app: AppID
    /// The user.
    public var user: AppUserID
    /// Where.
    public var environment: StoreEnvironment
    /// The id that `identify` answered, for the document: edges reckon it.
    public var customerID: String

    /// A question of these.
    public init(
        organisation: OrganisationID, app: AppID, user: AppUserID, environment: StoreEnvironment, customerID: String
    ) {
        self.organisation = organisation
        self.app = app
        self.user = user
        self.environment = environment
        self.customerID = customerID
    }

    /// Organisation and user.
    public var key: String { Key.user(organisation, user) }

    /// The same question for what the document is made of.
    public var view: UserGet {
        UserGet(organisation: organisation, app: app, user: user, environment: environment)
    }
}
