import Foundation
import Messages
import Synchronization
import TestSupport
import Testing
import Tollgate

@Suite("Devices, as the operator sees them")
struct DevicesTests {
    /// A registry with some devices, in pages of four.
    private final class Registry: Sendable {
        let questions = Mutex<[DevicesPage]>([])
        let revoked = Mutex<[DeviceRevoke]>([])
        private let count: Int
        private let breaksAfter: Int?

        /// - Parameter breaksAfter: so many revocations.
        init(count: Int = 10, breaksAfter: Int? = nil) {
            self.count = count
            self.breaksAfter = breaksAfter
        }

        /// Every fifth is revoked.
        static func device(_ number: Int) -> DeviceRecord {
            var standing = DeviceStanding(
                organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
                keyID: DeviceKeyID(rawValue: "key/\(number)"), environment: .production, changedAt: CommandTests.time)
            if number % 5 == 4 {
                standing.revokedAt = CommandTests.time
                standing.leastGeneration = 2
            }
            return DeviceRecord(
                standing: standing, isTest: false, counter: 3, firstAttestedAt: CommandTests.time,
                attestedAt: CommandTests.time, revokedWhy: number % 5 == 4 ? "a\u{1B}[2Jfarm" : nil,
                receipt: .init(digest: "d", isVerified: number % 2 == 0, step: "chain", reason: "untrusted_chain"))
        }

        func answer(_ kind: MessageKind, _ body: [UInt8]) -> (any Encodable & Sendable)? {
            if let revoke = try? MessageJSON.decode(DeviceRevoke.self, from: body), kind == DeviceRevoke.kind {
                let before = revoked.withLock { revoked in
                    defer { revoked.append(revoke) }
                    return revoked.count
                }
                if before == breaksAfter { return Answer<DeviceRecord>.failed(Refusal("failed", "the disk is gone")) }
                var device = Self.device(0)
                device.standing.keyID = revoke.keyID
                device.standing.revokedAt = CommandTests.time
                device.revokedWhy = revoke.why
                return Answer.applied(device)
            }
            guard let page = try? MessageJSON.decode(DevicesPage.self, from: body) else { return nil }
            questions.withLock { $0.append(page) }
            if let keyID = page.keyID {
                let found = (0..<count).map(Self.device).filter { $0.standing.keyID == keyID }
                return Answer.applied(DevicesPage.Value(devices: found, next: nil))
            }
            let start = page.after.flatMap { Int($0.split(separator: "/").last ?? "") }.map { $0 + 1 } ?? 0
            let end = min(start + 4, count)
            let devices = (start..<max(start, end)).map(Self.device)
            return Answer.applied(
                DevicesPage.Value(devices: devices, next: end < count ? devices.last?.standing.key : nil))
        }

        func run(_ words: String...) async throws -> Tool.Ending {
            let installation = FakeInstallation()
            return try await installation.answering(.attestGateway) { kind, body in
                self.answer(kind, body)
            } while: {
                await installation.tool(["devices"] + words)
            }
        }
    }

    @Test("A list goes over all pages, and says how to go on where it ends early")
    func list() async throws {
        let registry = Registry()

        let all = try await registry.run("list")
        let some = try await registry.run("list", "--limit", "6")
        let exactly = try await registry.run("list", "--limit", "10")
        let rest = try await registry.run("list", "--from", "acme/com.example.tunes/key/5", "--json")

        #expect(all.output.split(separator: "\n").count == 10)
        #expect(all.complaint.isEmpty && exactly.complaint.isEmpty)
        #expect(some.output.split(separator: "\n").count == 6)
        #expect(some.complaint.contains("--from acme/com.example.tunes/key/5 goes on"))
        let found = try JSONDecoder().decode([DeviceRecord].self, from: Data(rest.output.utf8))
        #expect(found.map(\.standing.keyID.rawValue) == (6..<10).map { "key/\($0)" })
    }

    @Test("The filters are asked for as they are said; without any, everything is")
    func filters() async throws {
        let registry = Registry()

        _ = try await registry.run("list")
        _ = try await registry.run(
            "list", "--organisation", "acme", "--app", "com.example.tunes", "--environment", "development", "--state",
            "revoked", "--since", "2026-11-01T00:00:00Z", "--until", "2026-12-01T00:00:00Z")

        let questions = registry.questions.withLock { $0 }
        #expect(questions.first == DevicesPage())
        var expected = DevicesPage()
        expected.organisation = OrganisationID(rawValue: "acme")
        expected.app = AppID(rawValue: "com.example.tunes")
        expected.environment = .development
        expected.state = .revoked
        expected.attestedFrom = Timestamp(rfc3339: "2026-11-01T00:00:00Z")
        expected.attestedBefore = Timestamp(rfc3339: "2026-12-01T00:00:00Z")
        #expect(questions.last { $0.after == nil } == expected)
    }

    @Test("A device is shown with all that is known of it; whatever strangers wrote stays harmless")
    func show() async throws {
        let registry = Registry()

        let active = try await registry.run("show", "key/1")
        let revoked = try await registry.run("show", "key/4")
        let unknown = try await registry.run("show", "key/99")

        #expect(active.output.contains("state          active"))
        #expect(active.output.contains("refused at chain: untrusted_chain"))
        #expect(revoked.output.contains("revoked 2027-01-15T08:00:00.000Z: a\u{FFFD}[2Jfarm"))
        #expect(unknown.status == .failed)
        #expect(unknown.complaint.contains("there is no device key/99\n  tollgate devices list names them"))
    }

    @Test("One device is revoked by its key id, with the reason")
    func revokeOne() async throws {
        let registry = Registry()

        let ending = try await registry.run("revoke", "key/1", "--why", "a farm")
        let again = try await registry.run("revoke", "key/4", "--why", "a farm")
        let unknown = try await registry.run("revoke", "key/99", "--why", "a farm")

        #expect(ending.output.contains("1 device is revoked"))
        #expect(again.output.contains("0 devices are revoked; 1 had been revoked before"))
        #expect(unknown.status == .failed)
        let sent = registry.revoked.withLock { $0 }
        #expect(sent.map(\.keyID.rawValue) == ["key/1"])
        #expect(sent.map(\.why) == ["a farm"])
    }

    @Test("Those that a filter finds are revoked only if that is said; until then it is told which")
    func revokeMany() async throws {
        let registry = Registry()

        let preview = try await registry.run("revoke", "--app", "com.example.tunes", "--why", "a farm")
        #expect(registry.revoked.withLock { $0.isEmpty })
        let done = try await registry.run("revoke", "--app", "com.example.tunes", "--why", "a farm", "--yes")

        #expect(preview.output.contains("8 devices would be revoked; 2 had been revoked before; nothing was changed"))
        #expect(preview.output.contains("and 3 more"))
        #expect(done.output.contains("8 devices are revoked; 2 had been revoked before"))
        #expect(registry.revoked.withLock { $0.count } == 8)
    }

    @Test("Where it breaks, it says how many are revoked")
    func broken() async throws {
        let registry = Registry(breaksAfter: 3)

        let ending = try await registry.run("revoke", "--app", "com.example.tunes", "--why", "a farm", "--yes")

        #expect(ending.status == .unavailable)
        #expect(ending.complaint.contains("3 are revoked; repeating it goes on"))
    }

    @Test(
        "Which devices, and why, has to be said",
        arguments: [
            (["revoke", "--why", "x"], "which devices?"), (["revoke", "key/1"], "--why TEXT is missing"),
            (["list", "--state", "lost"], "active or revoked"),
            (["list", "--environment", "sandbox"], "production or development"),
        ])
    func usage(words: [String], complaint: String) async throws {
        let ending = await FakeInstallation().tool(["devices"] + words)

        #expect(ending.status == .usage)
        #expect(ending.complaint.contains(complaint), "\(ending.complaint)")
    }
}
