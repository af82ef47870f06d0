import AttestGateway
import Crypto
import Foundation
import Messages
import Messaging
import SQLite
import ServiceKit
import StoreSimulator
import TestSupport
import Testing

/// What becomes of devices that are enrolled: asserted, attested again, revoked, listed.
@Suite("Devices")
struct DeviceTests {
    @Test("A device that shows its key gets its standing, and its counter is kept")
    func asserted() async throws {
        try await DeviceCast.with { cast in
            var phone = try DeviceCast.phone()
            let enrolled = try await cast.enrol(phone, challenge: "zero")
            for number in 1...3 as ClosedRange<Int64> {
                let time = Timestamp.epoch + .seconds(number)
                let message = try cast.assertion(by: &phone, challenge: "\(number)", at: time)
                let answer = try await cast.rig.edge.request(message, at: time)
                let again = try await cast.rig.edge.request(message, at: time + .seconds(1))

                #expect(answer.value == enrolled)
                #expect(again.value == enrolled)
                let record = try await cast.record(of: phone)
                #expect(record?.counter == number)
                #expect(record?.lastAssertedAt == time)
                #expect(record?.attestedAt == .epoch)
            }
        }
    }

    /// One way in which an assertion can be wrong, and what has to be said of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reason: String
        var change: @Sendable (inout AssertionDesign) throws -> Void = { _ in }
        var send: @Sendable (inout AssertionSubmit) -> Void = { _ in }
    }

    /// In the order of the steps.
    static let faults = [
        Fault(
            testDescription: "no device's key", reason: "device_unknown",
            send: { $0.keyID = DeviceKeyID(rawValue: "A") }),
        Fault(
            testDescription: "a key that was not enrolled", reason: "device_unknown",
            send: { $0.keyID = DeviceKeyID(rawValue: Base64.standard.encode([UInt8](repeating: 7, count: 32))) }),
        Fault(testDescription: "no Base64", reason: "cbor_malformed", send: { $0.assertion += "!" }),
        Fault(testDescription: "nothing", reason: "cbor_malformed", send: { $0.assertion = "" }),
        Fault(
            testDescription: "too long", reason: "cbor_malformed",
            send: { $0.assertion = String(repeating: "A", count: AssertionSubmit.longestAssertion + 4) }),
        Fault(testDescription: "bytes behind it", reason: "cbor_malformed", change: { $0.trailing = [0xA0] }),
        Fault(testDescription: "no signature", reason: "cbor_malformed", change: { $0.missingMembers = ["signature"] }),
        Fault(
            testDescription: "another key", reason: "signature_invalid", change: { $0.key = try PrivateKey.generate() }),
        Fault(
            testDescription: "another challenge", reason: "signature_invalid",
            send: { $0.challenge = DeviceCast.challenge("another") }),
        Fault(
            testDescription: "another app", reason: "app_id_mismatch",
            change: { $0.appID = "A1B2C3D4E5.com.example.other" }),
        Fault(testDescription: "the counter of before", reason: "counter_not_greater", change: { $0.counter = 1 }),
        Fault(testDescription: "a counter of zero", reason: "counter_not_greater", change: { $0.counter = 0 }),
    ]

    @Test("Each step fails under its own name; the challenge is spent, the counter stays", arguments: faults)
    func fault(fault: Fault) async throws {
        try await DeviceCast.with { cast in
            var phone = try DeviceCast.phone()
            try await cast.enrol(phone, challenge: "zero")
            _ = try await cast.rig.edge.request(cast.assertion(by: &phone, challenge: "one"))
            var message = try cast.assertion(by: &phone, challenge: "two", change: fault.change)
            fault.send(&message)

            let answer = try await cast.rig.edge.request(message)
            let again = try await cast.rig.edge.request(message)
            message.assertion = "AAAA"
            let other = try await cast.rig.edge.request(message)

            #expect(answer.refusal == fault.reason, "\(answer)")
            #expect(again.refusal == fault.reason)
            #expect(other.refusal == "challenge_used")
            #expect(try await cast.record(of: phone)?.counter == 1)
        }
    }

    @Test("What Apple vouches for in an environment that the app accepts no more gets no token, until it does again")
    func environmentOfNow() async throws {
        try await DeviceCast.with(change: { $0.attestEnvironments = [.development, .production] }) { cast in
            var phone = try DeviceCast.phone(.development)
            var other = try DeviceCast.phone(.production)
            try await cast.enrol(phone, challenge: "zero")
            try await cast.enrol(other, challenge: "one")
            var put = AppPut(organisation: DeviceCast.organisation, app: DeviceCast.app)
            put.attestEnvironments = [.production]
            _ = try await cast.rig.operators.send(put)

            let refused = try await cast.rig.edge.request(cast.assertion(by: &phone, challenge: "two"))
            let accepted = try await cast.rig.edge.request(cast.assertion(by: &other, challenge: "three"))
            #expect(refused.refusal == "environment_mismatch")
            #expect(accepted.value != nil)
            #expect(try await cast.record(of: phone)?.counter == 0)

            put.attestEnvironments = [.development]
            _ = try await cast.rig.operators.send(put)
            #expect(try await cast.rig.edge.request(cast.assertion(by: &phone, challenge: "four")).value != nil)
        }
    }

    @Test("An assertion is not taken for another challenge, nor are two with the counter in the wrong order")
    func replayed() async throws {
        try await DeviceCast.with { cast in
            var phone = try DeviceCast.phone()
            try await cast.enrol(phone, challenge: "zero")
            let first = try cast.assertion(by: &phone, challenge: "one")
            let second = try cast.assertion(by: &phone, challenge: "two")
            var replayed = second
            replayed.challenge = DeviceCast.challenge("three")

            #expect(try await cast.rig.edge.request(second).value != nil)
            #expect(try await cast.rig.edge.request(first).refusal == "counter_not_greater")
            #expect(try await cast.rig.edge.request(replayed).refusal == "signature_invalid")
        }
    }

    @Test("A key that is attested again is of the next generation, and older tokens are good no more")
    func generations() async throws {
        try await DeviceCast.with { cast in
            var phone = try DeviceCast.phone()
            let first = try await cast.enrol(phone, challenge: "one")
            _ = try await cast.rig.edge.request(cast.assertion(by: &phone, challenge: "two"))
            let before = try await cast.rig.operators.ask(RegistrySnapshot()).value
            let second = try await cast.enrol(phone, challenge: "three", at: .epoch + .seconds(10))
            let snapshot = try await cast.rig.operators.ask(RegistrySnapshot()).value
            // The device counts on, or from the start: both are above what Apple has just certified.
            let asserted = try await cast.rig.edge.request(cast.assertion(by: &phone, challenge: "four"))

            #expect(first?.generation == 1)
            #expect(first?.leastGeneration == 1)
            #expect(first?.version == 0)
            #expect(before?.devices == [])
            #expect(second?.generation == 2)
            #expect(second?.leastGeneration == 2)
            #expect(second?.version == (before?.version ?? 0) + 1)
            #expect(snapshot?.version == second?.version)
            #expect(snapshot?.devices == [try #require(second)])
            #expect(asserted.value == second)
            let record = try await cast.record(of: phone)
            #expect(record?.firstAttestedAt == .epoch)
            #expect(record?.attestedAt == .epoch + .seconds(10))
        }
    }

    @Test("A revoked device gets no token, by assertion or by attestation, and stays revoked since the first time")
    func revoked() async throws {
        try await DeviceCast.with { cast in
            var phone = try DeviceCast.phone()
            let session = try await cast.rig.broker.openSession(named: "listener")
            let queue = "edge.attest-gateway-test"
            try await session.declareExclusive(
                queue: queue,
                bindings: [Binding(exchange: .events, queue: queue, routingKey: "\(DeviceRevoked.kind).*")])
            let unknown = try await cast.revoke(phone)
            let enrolled = try await cast.enrol(phone, challenge: "one")
            let revoked = try await cast.revoke(phone, why: "a farm", at: .epoch + .seconds(1))
            let again = try await cast.revoke(phone, why: "another reason", at: .epoch + .seconds(2))
            let attested = try await cast.rig.edge.request(cast.attestation(of: phone, challenge: "two"))
            let asserted = try await cast.rig.edge.request(cast.assertion(by: &phone, challenge: "three"))
            let snapshot = try await cast.rig.operators.ask(RegistrySnapshot()).value

            #expect(unknown.refusal == "device_unknown")
            #expect(enrolled?.revokedAt == nil)
            #expect(revoked.value?.standing.revokedAt == .epoch + .seconds(1))
            #expect(revoked.value?.standing.leastGeneration == 2)
            #expect(revoked.value?.revokedWhy == "a farm")
            #expect(again.value == revoked.value)
            #expect(attested.refusal == "device_revoked")
            #expect(asserted.refusal == "token_revoked")
            #expect(snapshot?.devices == [try #require(revoked.value?.standing)])
            #expect(await eventually { cast.rig.broker.waiting(in: queue).count == 1 })
            let event = try #require(cast.rig.broker.waiting(in: queue).first)
            #expect(try MessageJSON.decode(DeviceRevoked.self, from: event.body).device == revoked.value?.standing)
        }
    }

    @Test("A revocation that is delivered again, under its id or another, changes nothing and is answered alike")
    func redelivered() async throws {
        let store = RegistryRig.Store(folder: TemporaryFolder())
        let phone = try DeviceCast.phone()
        let id = MessageID(at: .epoch)
        let revoke = DeviceRevoke(
            organisation: DeviceCast.organisation, app: DeviceCast.app,
            keyID: DeviceKeyID(rawValue: Base64.standard.encode(phone.keyID)), why: "once")
        try await DeviceCast.with(store) { cast in
            try await cast.enrol(phone, challenge: "one")
            #expect(try await cast.rig.operators.send(revoke, id: id).value != nil)
        }
        try await DeviceCast.with(store) { cast in
            let before = try await cast.record(of: phone)
            let same = try await cast.rig.operators.send(revoke, id: id)
            let other = try await cast.rig.operators.send(revoke)

            #expect(before?.standing.revokedAt == .epoch)
            #expect(same.value == before)
            #expect(other.value == before)
        }
    }

    @Test("Edges hear of what happened to tokens for as long as one of them may be about")
    func remembered() async throws {
        let clock = ManualClock(.epoch)
        try await DeviceCast.with(clock: clock) { cast in
            let phone = try DeviceCast.phone()
            try await cast.enrol(phone, challenge: "one")
            _ = try await cast.revoke(phone)
            // Its answer may have been repeated for five minutes, each time with a token, by a clock that is not quite ours.
            clock.advance(by: Self.longest - clock.now.since(.epoch) - .milliseconds(1))
            let last = try await cast.rig.operators.ask(RegistrySnapshot()).value?.devices
            clock.advance(by: .milliseconds(1))
            let after = try await cast.rig.operators.ask(RegistrySnapshot()).value?.devices

            #expect(last?.count == 1)
            #expect(after == [])
            #expect(try await cast.record(of: phone)?.standing.revokedAt == .epoch)
        }
    }

    private static let longest = DeviceStanding.tokenLifetime + .seconds(360)

    @Test("A device that comes back when its token has ended is of the next generation, and no edge need know")
    func cameBackLate() async throws {
        let clock = ManualClock(.epoch)
        try await DeviceCast.with(clock: clock) { cast in
            var (punctual, early) = (try DeviceCast.phone(), try DeviceCast.phone())
            try await cast.enrol(punctual, challenge: "one")
            try await cast.enrol(early, challenge: "two")
            clock.advance(by: .seconds(60))
            // It got another token meanwhile.
            let asserted = try cast.assertion(by: &early, challenge: "three", at: clock.now)
            #expect(try await cast.rig.edge.request(asserted, at: clock.now).value != nil)
            let before = try await cast.rig.operators.ask(RegistrySnapshot()).value
            clock.advance(by: Self.longest - .seconds(60))

            let back = try await cast.enrol(punctual, challenge: "four", at: clock.now)
            let tooEarly = try await cast.enrol(early, challenge: "five", at: clock.now)
            let after = try await cast.rig.operators.ask(RegistrySnapshot()).value

            #expect(back?.generation == 2)
            #expect(back?.leastGeneration == 2)
            #expect(back?.version == 0)
            #expect(tooEarly?.version == (before?.version ?? 0) + 1)
            #expect(after?.devices == [try #require(tooEarly)])
        }
    }

    /// Devices that are only rows: a farm that was revoked.
    private static let farm: SQL = """
        WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
        INSERT INTO devices (organisation, app, key_id, bucket, public_key, environment, is_test, generation,
            least_generation, counter, first_attested_at, attested_at, revoked_at, changed_at, version,
            receipt_is_verified, dead_tokens_until)
        SELECT 'acme', 'com.example.tunes', '/' || n, 0, x'04', 'production', 0, 1, 2, 0, 0, 0, 0, 0, 1, 1,
            1769760900251 + n / 5000
        FROM numbers
        """

    @Test("Many devices come in portions, each device once; an edge has all of them before it follows the registry")
    func portions() async throws {
        let clock = ManualClock(.epoch)
        try await RegistryRig.with(.init(rows: Self.farm), clock: clock) { rig in
            var names: [String] = []
            var query: RegistrySnapshot? = RegistrySnapshot()
            while let next = query {
                let value = try #require(try await rig.operators.ask(next).value)
                names += (value.devices ?? []).map(\.key)
                query = value.devicesNext.map { RegistrySnapshot(devicesAfter: $0) }
            }
            let wrong = try await rig.operators.ask(RegistrySnapshot(devicesAfter: "x"))
            clock.advance(by: .milliseconds(1))
            let half = try await rig.operators.ask(RegistrySnapshot()).value?.devices

            #expect(names.count == 10_000)
            #expect(Set(names).count == 10_000)
            #expect(wrong.refusal == "cursor_invalid")
            #expect(half?.count == 4000)

            let projection = RegistryProjection(
                ask: { query, _ in try await rig.edge.ask(query) }, metrics: MetricsRegistry())
            let follower = RegistryFollower(
                projection, broker: rig.broker, ask: { query, _ in try await rig.edge.ask(query) }, file: nil,
                logger: .silent, metrics: MetricsRegistry())
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await follower.run() }
                #expect(await eventually { projection.standing == .fresh })
                #expect(projection.snapshot?.devices?.count == 5000)
                group.cancelAll()
            }
        }
    }

    @Test("Who wants apps and keys alone gets no devices")
    func withoutDevices() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone()
            try await cast.enrol(phone, challenge: "one")
            _ = try await cast.revoke(phone)

            let value = try await cast.rig.operators.ask(RegistrySnapshot(omitsDevices: true)).value

            #expect(value?.devices == nil)
            #expect(value?.apps.count == 1)
        }
    }

    @Test("A reason that is too long is cut, and takes no more room than it may")
    func longReason() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone()
            try await cast.enrol(phone, challenge: "one")

            let revoked = try await cast.revoke(phone, why: "x" + String(repeating: "é", count: 1000))

            #expect(revoked.value?.revokedWhy?.utf8.count == 499)
        }
    }
}
