package import Messages

/// One installation of one app.
package struct AppInstall: Hashable, Sendable {
    package var organisation: OrganisationID
    package var app: AppID
    package var id: InstallID

    package init(_ organisation: OrganisationID, _ app: AppID, _ id: InstallID) {
        self.organisation = organisation
        self.app = app
        self.id = id
    }

    /// Of its partition.
    package var bucket: Bucket { Bucket(of: Key.install(organisation, app, id)) }
}
