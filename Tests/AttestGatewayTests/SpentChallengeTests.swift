import AttestGateway
import Crypto
import Foundation
import Messages
import SQLite
import StoreSimulator
import Synchronization
import TestSupport
import Testing

/// A challenge is good once; the same request again is the same request.
@Suite("Spent challenges")
struct SpentChallengeTests {
    @Test("The same request again gets the first outcome, and enrols nothing again")
    func repeated() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone()
            let message = try cast.attestation(of: phone, challenge: "one")

            let first = try await cast.rig.edge.request(message)
            let second = try await cast.rig.edge.request(message, at: .epoch + .seconds(299))

            #expect(first.value?.generation == 1)
            #expect(second.value == first.value)
            #expect(try await cast.record(of: phone)?.standing == first.value)
        }
    }

    @Test(
        "Anything else with a challenge that is spent is refused: another device, key, app, attestation, or an assertion"
    )
    func otherBody() async throws {
        try await DeviceCast.with { cast in
            _ = try await cast.rig.operators.send(
                AppPut(organisation: "acme", app: "com.example.other", teamID: DeviceCast.team))
            var phone = try DeviceCast.phone()
            let message = try cast.attestation(of: phone, challenge: "one")
            _ = try await cast.rig.edge.request(message)
            var named = message
            named.keyID = DeviceKeyID(rawValue: Base64.url.encode(phone.keyID))
            var elsewhere = message
            elsewhere.app = "com.example.other"

            for other in [
                try cast.attestation(of: phone, challenge: "one"),
                try cast.attestation(of: DeviceCast.phone(), challenge: "one"), named, elsewhere,
            ] {
                #expect(try await cast.rig.edge.request(other).refusal == "challenge_used")
            }
            let assertion = try cast.assertion(by: &phone, challenge: "one")
            #expect(try await cast.rig.edge.request(assertion).refusal == "challenge_used")
        }
    }

    @Test("Of many who use one challenge at the same time one is enrolled")
    func parallel() async throws {
        try await DeviceCast.with { cast in
            try await cast.enrol(DeviceCast.phone(), challenge: "zero")
            let messages = try (0..<16).map { _ in
                try cast.attestation(of: DeviceCast.phone(), challenge: "one")
            }
            let broker = cast.rig.broker

            let answers = try await withThrowingTaskGroup(of: Answer<DeviceStanding>.self) { group in
                for message in messages {
                    group.addTask {
                        try await Asker(broker.client(as: BrokerUser(of: .attestGateway))).request(message)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.filter { $0.value != nil }.count == 1)
            #expect(answers.filter { $0.refusal == "challenge_used" }.count == 15)
        }
    }

    @Test("The same request many times at once is one request")
    func parallelRepeats() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone()
            let message = try cast.attestation(of: phone, challenge: "one")
            let broker = cast.rig.broker

            let answers = try await withThrowingTaskGroup(of: Answer<DeviceStanding>.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await Asker(broker.client(as: BrokerUser(of: .attestGateway))).request(message)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(Set(answers.map(\.value)).count == 1)
            #expect(try await cast.record(of: phone)?.standing.generation == 1)
        }
    }

    @Test(
        "A challenge is good until the second it ends, and its outcome for five minutes from when it was spent",
        arguments: [
            (0, 299, nil), (0, 300, "challenge_expired"), (299, 598, nil), (299, 599, "challenge_expired"),
        ] as [(Int, Int, String?)])
    func expiry(spentAt: Int, askedAt: Int, expected: String?) async throws {
        let clock = ManualClock(.epoch)
        try await DeviceCast.with(clock: clock) { cast in
            let message = try cast.attestation(of: DeviceCast.phone(), challenge: "one")
            let late = try cast.attestation(of: DeviceCast.phone(), challenge: "two")
            clock.advance(by: .seconds(spentAt))
            let first = try await cast.rig.edge.request(message, at: clock.now)
            clock.advance(by: .seconds(askedAt - spentAt))

            let again = try await cast.rig.edge.request(message, at: clock.now)
            let other = try await cast.rig.edge.request(late, at: clock.now)

            #expect(first.value?.generation == 1)
            #expect(again.refusal == expected)
            if expected == nil { #expect(again.value == first.value) }
            #expect(other.refusal == (askedAt < 300 ? nil : "challenge_expired"))
        }
    }

    @Test("A challenge that has expired is not spent: nothing is stored of it")
    func expiredIsNotSpent() async throws {
        try await DeviceCast.with { cast in
            let message = try cast.attestation(of: DeviceCast.phone(), challenge: "one", at: .epoch - .seconds(300))

            #expect(try await cast.rig.edge.request(message).refusal == "challenge_expired")
            #expect(try await Self.spent(cast) == 0)
        }
    }

    @Test("Spent challenges are forgotten five minutes after they would have expired, and are not good again then")
    func forgotten() async throws {
        let clock = ManualClock(.epoch)
        try await DeviceCast.with(clock: clock) { cast in
            let message = try cast.attestation(of: DeviceCast.phone(), challenge: "one")
            let first = try await cast.rig.edge.request(message)
            clock.advance(by: .seconds(599))
            _ = try await cast.enrol(DeviceCast.phone(), challenge: "two", at: clock.now)
            #expect(try await Self.spent(cast) == 2)

            clock.advance(by: .seconds(1))
            #expect(try await eventually { try await Self.spent(cast) == 1 })
            // It says when it was accepted: long enough ago to be good, had its being spent not been forgotten.
            let again = try await cast.rig.edge.request(message, at: .epoch + .seconds(1))

            #expect(first.value?.generation == 1)
            #expect(again.refusal == "challenge_expired")
        }
    }

    @Test("A registry that was killed after it had answered says the same when it is back")
    func restart() async throws {
        let store = RegistryRig.Store(folder: TemporaryFolder())
        let told = Mutex<[(AttestationSubmit, Answer<DeviceStanding>)]>([])
        try await DeviceCast.with(store) { cast in
            let phone = try DeviceCast.phone()
            let good = try cast.attestation(of: phone, challenge: "one")
            let bad = try cast.attestation(of: phone, challenge: "two") { $0.counter = 1 }
            for message in [good, bad] {
                let answer = try await cast.rig.edge.request(message)
                told.withLock { $0.append((message, answer)) }
            }
        }
        try await DeviceCast.with(store) { cast in
            let answers = told.withLock { $0 }
            for (message, answer) in answers {
                let again = try await cast.rig.edge.request(message)
                #expect(again.value == answer.value)
                #expect(again.refusal == answer.refusal)
            }
            #expect(answers.map(\.1.refusal) == [nil, "counter_not_zero"])
        }
    }

    private static func spent(_ cast: DeviceCast) async throws -> Int? {
        try await cast.rig.database.read {
            try $0.first("SELECT COUNT(*) FROM spent_challenges") { try $0.int(0) }
        }
    }
}
