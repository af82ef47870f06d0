/// A user within an organisation, across its apps.
public struct Customer: Hashable, Sendable {
    /// Whose user he is.
    public var organisation: OrganisationID
    /// The user.
    public var user: AppUserID

    /// A user of an organisation.
    public init(_ organisation: OrganisationID, _ user: AppUserID) {
        self.organisation = organisation
        self.user = user
    }

    /// The bucket of everything that is kept about him.
    public var bucket: Bucket { Bucket(of: Key.user(organisation, user)) }
}

extension AppUserID {
    /// Stands for a user who was erased by this command, where leaving out what he did would change what others have. No
    /// user has an id with a zero in it.
    public static func erased(by command: MessageID) -> AppUserID { AppUserID(rawValue: "\u{0}\(command)") }

    /// Whether it stands for a user who was erased.
    public var isErased: Bool { rawValue.utf8.first == 0 }
}
