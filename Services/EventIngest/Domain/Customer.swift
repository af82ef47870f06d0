package import Messages

/// A user within an organisation, across its apps.
package struct Customer: Hashable, Sendable {
    package var organisation: OrganisationID
    package var user: AppUserID

    package init(_ organisation: OrganisationID, _ user: AppUserID) {
        self.organisation = organisation
        self.user = user
    }

    /// The bucket of everything that is kept about him.
    package var bucket: Bucket { Bucket(of: Key.user(organisation, user)) }
}
