import AttestGateway
import Crypto
import Foundation
import Messages
import Messaging
import StoreSimulator
import TestSupport
import Testing

/// Messages that nobody should send: each is answered, none stops the registry or gets a token.
@Suite("Hostile devices")
struct HostileDeviceTests {
    @Test("No byte of an attestation or assertion can be changed without a no, and none traps", arguments: [20_261_130])
    func changedBytes(seed: UInt64) async throws {
        try await DeviceCast.with { cast in
            var random = SeededGenerator(seed: seed)
            var phone = try DeviceCast.phone()
            try await cast.enrol(phone, challenge: "zero")

            for number in 0..<150 {
                // Each with a challenge of its own: that it was spent must not be what saves us.
                var attestation = try cast.attestation(of: phone, challenge: "a\(number)") { $0.receiptBytes = [] }
                attestation.attestation = try attestation.attestation.changed(using: &random)
                let refused = try await cast.rig.edge.request(attestation)
                #expect(refused.refusal != nil, "seed \(seed), number \(number)")

                var assertion = try cast.assertion(by: &phone, challenge: "b\(number)")
                assertion.assertion = try assertion.assertion.changed(using: &random)
                let refusedToo = try await cast.rig.edge.request(assertion)
                #expect(refusedToo.refusal != nil, "seed \(seed), number \(number)")
            }
            let record = try await cast.record(of: phone)
            #expect(record?.standing.generation == 1)
            #expect(record?.counter == 0)
        }
    }

    @Test("Bodies that are nearly good, and bodies that are nothing, are answered", arguments: [1, 2])
    func noise(seed: UInt64) async throws {
        try await DeviceCast.with { cast in
            let message = try cast.attestation(of: DeviceCast.phone(), challenge: "one")
            var phone = try DeviceCast.phone()
            let assertion = try cast.assertion(by: &phone, challenge: "two")
            let bodies: [(MessageKind, [UInt8], isEdges: Bool)] = [
                (AttestationSubmit.kind, try MessageJSON.encode(message), true),
                (AssertionSubmit.kind, try MessageJSON.encode(assertion), true),
                (DevicesPage.kind, try MessageJSON.encode(DevicesPage(after: "a/b/c")), false),
            ]
            for (kind, body, isEdges) in bodies {
                var noise = Noise(seed: seed, good: body)
                for _ in 0..<300 {
                    let caller = isEdges ? cast.rig.edge : cast.rig.operators
                    _ = try await caller.exchange(kind, noise.body())
                }
            }
            // It is still there, and as good as before.
            #expect(try await cast.enrol(phone, challenge: "three")?.revokedAt == nil)
            let revoked = try await cast.revoke(phone, why: String(repeating: "\u{1}é", count: 400))
            #expect(revoked.value?.revokedWhy?.isEmpty == false, "\(revoked)")
        }
    }
}

extension String {
    /// Base64 of other bytes.
    fileprivate func changed(using random: inout SeededGenerator) throws -> String {
        let bytes = try #require(Base64.standard.decode(utf8))
        var changed = bytes
        while changed == bytes { changed.change(using: &random) }
        return Base64.standard.encode(changed)
    }
}

extension [UInt8] {
    /// Changes, takes out, doubles or cuts something.
    fileprivate mutating func change(using random: inout SeededGenerator) {
        let index = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: self[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: remove(at: index)
        case 2: insert(self[index], at: index)
        default: removeLast(count - index)
        }
    }
}
