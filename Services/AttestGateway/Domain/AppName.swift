internal import Messages

/// An app of an organisation: several may have connected one bundle id.
struct AppName: Hashable, Sendable {
    let organisation: OrganisationID
    let app: AppID

    init(_ app: AppID, of organisation: OrganisationID) { (self.organisation, self.app) = (organisation, app) }

    init(_ record: AppRecord) { self.init(record.app, of: record.organisation) }
}
