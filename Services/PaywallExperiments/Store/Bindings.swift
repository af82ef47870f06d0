internal import Messages
internal import SQLite

extension AppInstall {
    /// As `(organisation, app, install)`.
    var bindings: [SQLValue] { [SQLValue(organisation), SQLValue(app), SQLValue(id)] }
}

extension Customer {
    /// As `(organisation, user)`.
    var bindings: [SQLValue] { [SQLValue(organisation), SQLValue(user)] }
}
