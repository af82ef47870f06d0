package import Messages

/// An app of an organisation.
package struct App: Hashable, Sendable {
    package var organisation: OrganisationID
    package var id: AppID

    package init(_ organisation: OrganisationID, _ id: AppID) {
        self.organisation = organisation
        self.id = id
    }
}
