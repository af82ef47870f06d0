package import Messages

/// A purchase with all its renewals, within an organisation and apart by realm.
package struct ChainID: Hashable, Sendable {
    package var organisation: OrganisationID
    package var realm: Realm
    package var original: OriginalTransactionID

    package init(_ organisation: OrganisationID, _ realm: Realm, _ original: OriginalTransactionID) {
        self.organisation = organisation
        self.realm = realm
        self.original = original
    }
}

/// A customer: a user within an organisation, across its apps.
package struct CustomerID: Hashable, Sendable {
    package var organisation: OrganisationID
    package var user: AppUserID

    package init(_ organisation: OrganisationID, _ user: AppUserID) {
        self.organisation = organisation
        self.user = user
    }

    /// The bucket of everything that is kept about him.
    package var bucket: Bucket { Bucket(of: Key.user(organisation, user)) }
}
