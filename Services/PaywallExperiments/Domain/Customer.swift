package import Messages

/// A user of an organisation, for all its apps.
package struct Customer: Hashable, Sendable {
    package var organisation: OrganisationID
    package var user: AppUserID

    package init(_ organisation: OrganisationID, _ user: AppUserID) {
        self.organisation = organisation
        self.user = user
    }

    /// Of his partition.
    package var bucket: Bucket { Bucket(of: Key.user(organisation, user)) }
}

extension AppUserID {
    /// Stands for a user who was erased by this command, where what he bought still counts. No user has an id with a zero
    /// in it.
    static func erased(by command: MessageID) -> AppUserID { AppUserID(rawValue: "\u{0}\(command)") }
}
