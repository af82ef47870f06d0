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

extension ChainID {
    /// The bucket of its key: every row about it has it.
    package var bucket: Bucket { Bucket(of: Key.transaction(organisation, original)) }
}
