internal import Messages

/// The settings of an app, as options: what is not said stays as it is.
enum AppSettingOptions {
    static let linkMovePolicy = Option<LinkMovePolicy>(
        "--link-move-policy", "POLICY",
        "What becomes of a purchase when another user claims it as well: move, keep or move_if_inactive; a new app moves",
        expectation: "move, keep or move_if_inactive"
    ) { name in LinkMovePolicy.all.first { $0.rawValue == name } }
    static let unverifiedLinksGrant = Option<Bool>(
        "--unverified-links-grant", "BOOL",
        "Whether a purchase unlocks something for a user that nobody has verified: true or false",
        expectation: "true or false", parse: { Bool($0) })
    static let team = Option<TeamID>(
        "--team-id", "TEAM", "The developer's team at Apple, for App Attest", expectation: TeamID.expectation
    ) { text in
        let team = TeamID(rawValue: text)
        return team.isGood ? team : nil
    }
    static let appleID = Option<Int64>(
        "--apple-id", "NUMBER", "The number by which Apple knows the app; notifications for another one are refused",
        expectation: "a number above 0"
    ) { text in Int64(text).flatMap { $0 > 0 ? $0 : nil } }
    static let environment = Option<AttestEnvironment>(
        "--attest-environment", "NAME",
        "An environment of App Attest that may vouch for devices, production or development; those that are not named may not any more. A new app takes production",
        expectation: "production or development", isRepeatable: true
    ) { name in AttestEnvironment.all.first { $0.rawValue == name } }

    static let attestedLimit = limit("--limit-attested", "Writes a minute with device tokens")
    static let deviceLimit = limit("--limit-device", "Writes a minute of one device without a token")
    static let addressLimit = limit("--limit-address", "Writes a minute from one client address without a token")
    static let userLimit = limit("--limit-users", "Different users named in a minute without a token")

    static let all: [any OptionDescription] = [
        linkMovePolicy, unverifiedLinksGrant, PurchaseKeyFile.option, PurchaseKeyFile.none, team, appleID, environment,
        attestedLimit, deviceLimit, addressLimit, userLimit,
    ]

    private static func limit(_ name: String, _ meaning: String) -> Option<Int> {
        Option(
            name, "NUMBER", "\(meaning); default: as the installation has it",
            expectation: "a number from 1 to 1000000, or default"
        ) { text in
            if text == "default" { return 0 }
            return Int(text).flatMap { $0 > 0 && AppLimits.possible.contains($0) ? $0 : nil }
        }
    }

    /// The command that says what the options say.
    static func put(_ arguments: Arguments) throws -> AppPut {
        let environments = try arguments.all(environment)
        let limits = AppLimits(
            attestedPerMinute: try arguments.optional(attestedLimit),
            devicePerMinute: try arguments.optional(deviceLimit),
            addressPerMinute: try arguments.optional(addressLimit), usersPerMinute: try arguments.optional(userLimit))
        return AppPut(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            linkMovePolicy: try arguments.optional(linkMovePolicy),
            unverifiedLinksGrant: try arguments.optional(unverifiedLinksGrant),
            purchaseKeys: try purchaseKeys(arguments), teamID: try arguments.optional(team),
            appleID: try arguments.optional(appleID), attestEnvironments: environments.isEmpty ? nil : environments,
            limits: limits.all.isEmpty ? nil : limits)
    }

    /// Nil: they stay as they are.
    private static func purchaseKeys(_ arguments: Arguments) throws -> [String]? {
        let keys = try arguments.all(PurchaseKeyFile.option).map { path throws in try PurchaseKeyFile.read(path) }
        guard arguments.isSet(PurchaseKeyFile.none) else { return keys.isEmpty ? nil : keys }
        guard keys.isEmpty else {
            throw arguments.wrong("\(PurchaseKeyFile.none.name) does not go with \(PurchaseKeyFile.option.name)")
        }
        return []
    }
}
