internal import Messages

/// The settings of an app, for people: each by its name.
struct AppSettings: Sendable, Equatable {
    /// One of them.
    struct Setting: Sendable, Equatable {
        let name: String
        let value: String
    }

    /// A setting that is another one than before.
    struct Change: Encodable, Sendable, Equatable {
        let setting: String
        let was: String
        let `is`: String
    }

    let settings: [Setting]

    init(_ app: AppRecord) {
        func number(_ limit: Int?) -> String { limit.map { "\($0) a minute" } ?? "as the installation has it" }
        let environments = app.acceptedEnvironments.map(\.rawValue).sorted()
        let tokens = app.notificationTokens ?? []
        settings = [
            ("test roots", app.testRoots.isEmpty ? "none" : "\(app.testRoots.count): a test app"),
            ("link move policy", app.linkMovePolicy.rawValue),
            ("unverified links grant", app.unverifiedLinksGrant ? "yes" : "no"),
            ("purchase keys", "\(app.purchaseKeys?.count ?? 0)"),
            ("team id", app.teamID?.rawValue ?? "not told: no device can attest itself"),
            ("Apple's number", app.appleID.map { "\($0)" } ?? "not told"),
            ("attest environments", environments.joined(separator: ", ")),
            ("limit of attested writes", number(app.limits?.attestedPerMinute)),
            ("limit of a device", number(app.limits?.devicePerMinute)),
            ("limit of an address", number(app.limits?.addressPerMinute)),
            ("limit of users", number(app.limits?.usersPerMinute)),
            ("paths for Apple's notifications", "\(tokens.count)"),
        ].map { Setting(name: $0, value: $1) }
    }

    /// One to a line.
    var text: String { settings.map { PageText.row($0.name, $0.value, width: 33) }.joined(separator: "\n") }

    /// Which of them are others than `before`. Keys are compared by what they are, not only by their number.
    static func changes(from before: AppRecord, to after: AppRecord) -> [Change] {
        zip(AppSettings(before).settings, AppSettings(after).settings).compactMap { old, new in
            let isOtherKeys = old.name == "purchase keys" && before.purchaseKeys != after.purchaseKeys
            guard old != new || isOtherKeys else { return nil }
            return Change(setting: new.name, was: old.value, is: old == new ? "\(new.value), others" : new.value)
        }
    }
}
