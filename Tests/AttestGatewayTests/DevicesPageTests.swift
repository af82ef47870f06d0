import AttestGateway
import Crypto
import Foundation
import Messages
import SQLite
import StoreSimulator
import TestSupport
import Testing

@Suite("Pages of devices")
struct DevicesPageTests {
    /// Devices that are only rows: three apps of two organisations, every third of a developer, every fifth revoked.
    private static let many: SQL = """
        WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2999)
        INSERT INTO devices (organisation, app, key_id, bucket, public_key, environment, is_test, generation,
            least_generation, counter, first_attested_at, attested_at, revoked_at, changed_at, version,
            receipt_is_verified)
        SELECT iif(n % 3 = 2, 'umbrella', 'acme'), iif(n % 3 = 1, 'com.example.other', 'com.example.tunes'),
            substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + n % 36, 1) || '/' || n, 0, x'04',
            iif(n % 3 = 0, 'development', 'production'), 0, 1, 1, 0, n, n, iif(n % 5 = 0, n, NULL), n, 0, 1
        FROM numbers
        """

    /// All devices that a question finds, page by page.
    private static func all(_ question: DevicesPage, _ rig: RegistryRig) async throws -> [DeviceRecord] {
        var (question, found) = (question, [DeviceRecord]())
        for _ in 0..<100 {
            let page = try #require(try await rig.operators.ask(question).value)
            #expect(page.devices.count <= 200)
            found += page.devices
            guard let next = page.next else { return found }
            #expect(next != question.after)
            question.after = next
        }
        Issue.record("goes round in circles")
        return found
    }

    @Test("Pages have every device once, in order")
    func everything() async throws {
        try await RegistryRig.with(.init(rows: Self.many)) { rig in
            let found = try await Self.all(DevicesPage(), rig)

            #expect(found.count == 3000)
            #expect(Set(found.map(\.standing.key)).count == 3000)
            let names = found.map { ($0.standing.organisation.rawValue, $0.standing.app.rawValue) }
            #expect(zip(names, names.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test("Each filter leaves what it says")
    func filters() async throws {
        try await RegistryRig.with(.init(rows: Self.many)) { rig in
            for (change, count) in Self.filters {
                var question = DevicesPage()
                change(&question)
                let found = try await Self.all(question, rig)
                #expect(found.count == count, "\(question)")
            }
        }
    }

    private static let filters: [(change: @Sendable (inout DevicesPage) -> Void, count: Int)] = [
        ({ $0.organisation = "acme" }, 2000), ({ $0.organisation = "umbrella" }, 1000),
        ({ $0.organisation = "nobody" }, 0), ({ $0.app = "com.example.tunes" }, 2000),
        ({ ($0.organisation, $0.app) = ("acme", "com.example.tunes") }, 1000),
        ({ $0.environment = .development }, 1000), ({ $0.environment = .production }, 2000),
        ({ $0.state = .revoked }, 600), ({ $0.state = .active }, 2400), ({ $0.state = .init(rawValue: "lost") }, 0),
        ({ $0.attestedFrom = Timestamp(clamping: 2990) }, 10),
        ({ $0.attestedBefore = Timestamp(clamping: 2990) }, 2990), ({ $0.after = "nonsense" }, 3000),
        (
            {
                ($0.environment, $0.state) = (.development, .revoked)
                $0.attestedFrom = Timestamp(clamping: 1500)
            }, 100
        ),
    ]

    @Test("A device is found by its key in either alphabet; without its app all are looked through")
    func one() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone()
            try await cast.enrol(phone, challenge: "one")
            var question = DevicesPage()
            question.keyID = DeviceKeyID(rawValue: Base64.url.encode(phone.keyID))
            let anywhere = try await Self.all(question, cast.rig)
            (question.organisation, question.app) = (DeviceCast.organisation, DeviceCast.app)
            let exactly = try await Self.all(question, cast.rig)
            question.app = "com.example.other"
            let elsewhere = try await Self.all(question, cast.rig)

            #expect(anywhere.count == 1)
            #expect(exactly == anywhere)
            #expect(elsewhere.isEmpty)
        }
    }
}
