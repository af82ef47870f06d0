import Crypto
import Foundation
import Messages
import Synchronization
import TestSupport
import Testing
import Tollgate

@Suite("tollgate apps set, apps show")
struct AppsSetTests {
    /// A registry with one app, which changes some of its settings.
    private final class Registry: Sendable {
        private let state: Mutex<(app: AppRecord, puts: [AppPut])>

        init() {
            let app = AppRecord(
                organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
                purchaseKeys: ["one"], limits: AppLimits(devicePerMinute: 60), version: 7,
                changedAt: CommandTests.time)
            state = Mutex((app, []))
        }

        var puts: [AppPut] { state.withLock { $0.puts } }

        func answer(_ kind: MessageKind, _ body: [UInt8]) -> (any Encodable & Sendable)? {
            state.withLock { state in
                if kind == RegistrySnapshot.kind {
                    return Answer.applied(RegistrySnapshot.Value(version: 7, apps: [state.app], keys: []))
                }
                guard let put = try? MessageJSON.decode(AppPut.self, from: body) else { return nil }
                state.puts.append(put)
                if let team = put.teamID { state.app.teamID = team }
                if let environments = put.attestEnvironments { state.app.attestEnvironments = environments }
                if let policy = put.linkMovePolicy { state.app.linkMovePolicy = policy }
                if put.limits?.devicePerMinute == 0 { state.app.limits = nil }
                if let limit = put.limits?.usersPerMinute { state.app.limits = AppLimits(usersPerMinute: limit) }
                return Answer.applied(state.app)
            }
        }
    }

    private struct Report: Decodable {
        struct Change: Decodable, Equatable {
            let setting: String
            let was: String
            let `is`: String
        }
        let app: AppRecord
        let changes: [Change]
        let isDryRun: Bool
    }

    private static func with(
        _ body: @Sendable (_ registry: Registry, _ run: @Sendable ([String]) async -> Tool.Ending) async throws -> Void
    ) async throws {
        let installation = FakeInstallation()
        let registry = Registry()
        try await installation.answering(.attestGateway) { kind, body in
            registry.answer(kind, body)
        } while: {
            try await body(registry) { await installation.tool($0) }
        }
    }

    private static let set = ["apps", "set", "--app", "com.example.tunes"]

    private static let everything = [
        "--team-id", "A1B2C3D4E5", "--attest-environment", "development", "--attest-environment", "production",
        "--link-move-policy", "keep", "--limit-device", "default", "--limit-users", "2000",
    ]

    @Test("What is said is sent, nothing else; what it was and what it is are told")
    func changes() async throws {
        try await Self.with { registry, run in
            let ending = await run(Self.set + Self.everything + ["--json"])

            #expect(ending.status == .success)
            var expected = AppPut(
                organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"))
            expected.teamID = TeamID(rawValue: "A1B2C3D4E5")
            expected.attestEnvironments = [.development, .production]
            expected.linkMovePolicy = .keep
            expected.limits = AppLimits(devicePerMinute: 0, usersPerMinute: 2000)
            #expect(registry.puts == [expected])
            let report = try JSONDecoder().decode(Report.self, from: Data(ending.output.utf8))
            #expect(
                report.changes == [
                    .init(setting: "link move policy", was: "move", is: "keep"),
                    .init(setting: "team id", was: "not told: no device can attest itself", is: "A1B2C3D4E5"),
                    .init(setting: "attest environments", was: "production", is: "development, production"),
                    .init(setting: "limit of a device", was: "60 a minute", is: "as the installation has it"),
                    .init(setting: "limit of users", was: "as the installation has it", is: "2000 a minute"),
                ])
        }
    }

    @Test("A dry run says the same as the run itself, and sends nothing")
    func dryRun() async throws {
        try await Self.with { registry, run in
            let dry = await run(Self.set + Self.everything + ["--dry-run", "--json"])
            #expect(registry.puts.isEmpty)
            let text = await run(Self.set + Self.everything + ["--dry-run"])
            let wet = await run(Self.set + Self.everything + ["--json"])

            let predicted = try JSONDecoder().decode(Report.self, from: Data(dry.output.utf8))
            let done = try JSONDecoder().decode(Report.self, from: Data(wet.output.utf8))
            #expect(predicted.changes == done.changes)
            #expect(predicted.isDryRun && !done.isDryRun)
            #expect(text.output.contains("link move policy: was move, would be keep"))
            #expect(text.output.contains("nothing was changed"))
            #expect(registry.puts.count == 1)
        }
    }

    @Test("Other keys are a change, though they are as many")
    func keys() async throws {
        let folder = TemporaryFolder()
        let key = Data(try PrivateKey.generate(.rsa2048).publicKey.der).base64EncodedString()
        let file = try folder.write(Array(key.utf8), to: "key")
        try await Self.with { _, run in
            let none = await run(Self.set + ["--dry-run", "--no-purchase-keys"])
            let other = await run(Self.set + ["--dry-run", "--purchase-key", file])

            #expect(none.output.contains("purchase keys: was 1, would be 0"))
            #expect(other.output.contains("purchase keys: was 1, would be 1, others"))
        }
    }

    @Test("What is set already changes nothing")
    func nothing() async throws {
        try await Self.with { _, run in
            let ending = await run(Self.set + ["--link-move-policy", "move"])

            #expect(ending.status == .success)
            #expect(ending.output.contains("nothing changes"))
        }
    }

    @Test(
        "What is no value, or nothing at all, is said before anything is sent",
        arguments: [
            ([], "what is to be set? At least one setting is needed; see tollgate apps set --help"),
            (["--limit-device", "0"], "a number from 1 to 1000000, or default"),
            (["--limit-users", "1000001"], "a number from 1 to 1000000, or default"),
            (["--attest-environment", "sandbox"], "production or development"),
            (["--team-id", "short"], "10 capital letters and digits"),
        ])
    func usage(options: [String], complaint: String) async throws {
        try await Self.with { registry, run in
            let ending = await run(Self.set + options)

            #expect(ending.status == .usage)
            #expect(ending.complaint.contains(complaint), "\(ending.complaint)")
            #expect(registry.puts.isEmpty)
        }
    }

    @Test("An app that is not there is not made")
    func unknown() async throws {
        try await Self.with { registry, run in
            let set = await run(["apps", "set", "--app", "com.example.none", "--team-id", "A1B2C3D4E5"])
            let shown = await run(["apps", "show", "--app", "com.example.none"])

            #expect([set.status, shown.status] == [.failed, .failed])
            #expect(set.complaint.contains("acme has no app com.example.none"))
            #expect(registry.puts.isEmpty)
        }
    }

    @Test("Every setting is shown, with what the installation has where the app says nothing")
    func show() async throws {
        try await Self.with { _, run in
            let text = await run(["apps", "show", "--app", "com.example.tunes"]).output
            let json = await run(["apps", "show", "--app", "com.example.tunes", "--json"]).output

            #expect(text.contains("attest environments              production"))
            #expect(text.contains("limit of a device                60 a minute"))
            #expect(text.contains("limit of users                   as the installation has it"))
            #expect(text.split(separator: "\n").count == 13)
            let record = try JSONDecoder().decode(AppRecord.self, from: Data(json.utf8))
            #expect(record.version == 7)
        }
    }
}
