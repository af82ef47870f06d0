internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts
internal import StoreSimulator

/// `tollgate generate`
struct Generate: ToolCommand {
    static let scenario = Option<[Scenario]>(
        "--scenario", "NAME", "Which life of purchases, or all", expectation: "one of the names in --help, or all",
        isRequired: true
    ) { name in name == "all" ? Scenario.all : Scenario.named(name).map { [$0] } }
    static let out = Option.text(
        "--out", "DIR", "The folder for the files, made if need be; with all, one folder in it for each",
        isRequired: true)
    static let seed = Option<UInt64>(
        "--seed", "NUMBER", "Another one, other ids and times", expectation: "a whole number", default: "1"
    ) { UInt64($0) }
    static let start = Option<Date>(
        "--start", "TIME", "When it begins; unless given, it ends a minute ago",
        expectation: "a time in RFC 3339 between 2010 and 2040, such as 2026-01-31T12:00:00Z"
    ) { text in
        // The certificates of the authority are valid for as long.
        Timestamp(rfc3339: text)?.date.then { 1_262_304_000..<2_208_988_800 ~= $0.timeIntervalSince1970 }
    }
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "The app", expectation: AppID.expectation, variable: "TOLLGATE_APP",
        default: "com.example.tunes", parse: Subject.name)
    static let product = Option<(ScenarioSetting.Products.Part, String)>(
        "--product", "PART=ID",
        "Another product for one of the parts \(parts), which are named after the app unless given",
        expectation: "one of \(parts), an equals sign and a product id", isRepeatable: true
    ) { text in
        let words = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, !words[1].isEmpty else { return nil }
        return ScenarioSetting.Products.Part(rawValue: words[0]).map { ($0, words[1]) }
    }
    static let authority = Option<String>.text(
        "--authority", "DIR",
        "Who signs, as simulate authority made it; unless given, somebody new, whose keys are lost",
        variable: "TOLLGATE_AUTHORITY")
    static let environment = Option<AppleEnvironment>(
        "--environment", "NAME", "Where it is bought: Production or Sandbox", expectation: "Production or Sandbox",
        default: "Production"
    ) { name in [AppleEnvironment.production, .sandbox].first { $0.rawValue == name } }
    static let token = Option<String>(
        "--account-token", "UUID", "The app's own name for the buyer", expectation: "a UUID"
    ) { UUID(uuidString: $0) == nil ? nil : $0.lowercased() }
    static let team = Option<String>.text(
        "--team", "TEAM", "The developer's team, for App Attest", default: "TEAM123456")
    static let force = Flag("--force", "Put it in the place of what this command has written there before")

    private static let parts = ScenarioSetting.Products.Part.allCases.map(\.rawValue).joined(separator: ", ")

    static let layout = CommandLayout(
        "generate", "Writes what a store would sign in the life of a purchase, and what must come out",
        details: """
            Transactions, renewal information, notifications and receipts of a simulated store, one file each, with \
            root.pem, under which they are signed, scenario.json, which lists them, and expected.json, which says who \
            holds what when. The same seed and start give the same but for signatures. Needs no broker. The scenarios:

            \(Scenario.all.map { "  \($0.name)\n      \($0.summary)" }.joined(separator: "\n"))
            """,
        options: [
            scenario, out, seed, start, app, product, authority, environment, token, team, force,
        ],
        example: "tollgate generate --scenario grace-recovered --out ./grace && "
            + "tollgate verify --root ./grace/root.pem ./grace/01-subscribed-transaction.jws")

    /// What came of it.
    struct Generated: Encodable {
        struct Story: Encodable {
            let scenario: String
            let folder: String
            let start: Date?
            let end: Date
            let documents: Int
        }
        let root: String
        let stories: [Story]
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let scenarios = try arguments.value(of: scenario)
        let out = try arguments.value(of: out)
        let isAll = scenarios.count > 1
        let stories = try Self.stories(of: scenarios, arguments)
        let authority = try Self.signer(arguments)

        let folder = GeneratedFolder(out, holdsFolders: isAll)
        try folder.prepare(for: scenarios.map(\.name), replacing: arguments.isSet(force))
        let written = try stories.map { story in
            let path = isAll ? "\(out)/\(story.scenario)" : out
            let count = try folder.writing { try StoryFolder.write(story, to: path, signedBy: authority) }
            return Generated.Story(
                scenario: story.scenario, folder: path, start: story.events.first?.at, end: story.end,
                documents: count)
        }
        if isAll { try folder.writeIndex(of: stories, root: authority.rootPEM) }
        let lines = written.map { "\($0.scenario): \($0.documents) documents in \($0.folder)" }
        return try Output(
            (lines + ["signed under \(out)/\(StoryFolder.root)"]).joined(separator: "\n"),
            json: Generated(root: "\(out)/\(StoryFolder.root)", stories: written))
    }

    private static func stories(of scenarios: [Scenario], _ arguments: Arguments) throws -> [Story] {
        var setting = ScenarioSetting(bundleID: try arguments.value(of: app).rawValue)
        setting.environment = try arguments.value(of: environment)
        setting.appAccountToken = try arguments.optional(token)
        setting.teamID = try arguments.value(of: team)
        for (part, id) in try arguments.all(product) { setting.products[part].id = id }
        let seed = try arguments.value(of: seed)
        let start = try arguments.optional(start)
        let now = Date.now
        return scenarios.map { scenario in
            if let start { return scenario.story(seed: seed, from: start, in: setting) }
            let epoch = Date(timeIntervalSince1970: 0)
            let length = scenario.story(seed: seed, from: epoch, in: setting).end.timeIntervalSince(epoch)
            return scenario.story(seed: seed, from: now - 60 - length, in: setting)
        }
    }

    private static func signer(_ arguments: Arguments) throws -> TestAuthority {
        guard let folder = try arguments.optional(authority) else { return try TestAuthority.make() }
        return try SimulateTransaction.authority(in: folder)
    }
}

extension Date {
    fileprivate func then(_ isGood: (Date) -> Bool) -> Date? { isGood(self) ? self : nil }
}
