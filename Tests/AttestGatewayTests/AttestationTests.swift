import AttestGateway
import Crypto
import Foundation
import Messages
import Messaging
import SQLite
import StoreSimulator
import TestSupport
import Testing

/// What comes of attestations, in the registry.
@Suite("Attestations")
struct AttestationTests {
    /// One way in which an attestation can be wrong, and what has to be said of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reason: String
        let change: @Sendable (inout AttestationDesign) throws -> Void
        let send: @Sendable (inout AttestationSubmit) -> Void

        init(
            _ name: String, _ reason: String, _ change: @escaping @Sendable (inout AttestationDesign) throws -> Void
        ) {
            (testDescription, self.reason, self.change) = (name, reason, change)
            send = { _ in }
        }

        init(_ name: String, _ reason: String, sent: @escaping @Sendable (inout AttestationSubmit) -> Void) {
            (testDescription, self.reason, send) = (name, reason, sent)
            change = { _ in }
        }
    }

    /// In the order of the steps.
    static let faults = [
        Fault("no Base64", "cbor_malformed", sent: { $0.attestation += "!" }),
        Fault("nothing", "cbor_malformed", sent: { $0.attestation = "" }),
        Fault("bytes behind it", "cbor_malformed") { $0.trailing = [0] },
        Fault(
            "too long", "cbor_malformed",
            sent: { $0.attestation = String(repeating: "A", count: AttestationSubmit.longestAttestation + 4) }),
        Fault("another format", "format_unsupported") { $0.format = "packed" },
        Fault("another authority", "chain_invalid") { $0.signer = try TestAuthority.make().deviceAuthority },
        Fault("a certificate that has run out", "chain_invalid") { design in
            design.validity = design.validity.lowerBound...design.validity.lowerBound + 1
        },
        Fault("another nonce", "nonce_mismatch") { $0.nonce = [UInt8](repeating: 1, count: 32) },
        Fault("another challenge", "nonce_mismatch", sent: { $0.challenge = DeviceCast.challenge("another") }),
        Fault("another key is named", "key_id_mismatch", sent: { $0.keyID = DeviceKeyID(rawValue: "AAAA") }),
        Fault("another app", "app_id_mismatch") { $0.appID = "A1B2C3D4E5.com.example.other" },
        Fault("another team", "app_id_mismatch") { $0.appID = "Z1B2C3D4E5.com.example.tunes" },
        Fault("a key that has been used", "counter_not_zero") { $0.counter = 1 },
        Fault("a developer's device", "environment_mismatch") { $0.aaguid = Array("appattestdevelop".utf8) },
        Fault("another credential", "credential_id_mismatch") { $0.credentialID[0] ^= 1 },
        Fault("another point", "public_key_malformed") { $0.publicKey[64] ^= 1 },
        Fault("two maps behind the key", "public_key_malformed") { $0.extensions = [0xA0, 0xA0] },
    ]

    @Test("A genuine device is enrolled, kept with its receipt, and told to the edges")
    func enrolled() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone()
            let session = try await cast.rig.broker.openSession(named: "listener")
            let queue = "edge.attest-gateway-test"
            try await session.declareExclusive(
                queue: queue,
                bindings: [Binding(exchange: .events, queue: queue, routingKey: "\(DeviceAttested.kind).*")])

            let standing = try await cast.enrol(phone, challenge: "one")
            let record = try #require(try await cast.record(of: phone))

            let expected = DeviceStanding(
                organisation: "acme", app: DeviceCast.app,
                keyID: DeviceKeyID(rawValue: Base64.standard.encode(phone.keyID)), environment: .production,
                changedAt: .epoch)
            #expect(standing == expected)
            #expect(record.standing == expected)
            #expect(record.isTest)
            #expect(record.receipt.isVerified)
            #expect(record.receipt.digest?.count == 64)
            #expect(await eventually { cast.rig.broker.waiting(in: queue).count == 1 })
            let event = try #require(cast.rig.broker.waiting(in: queue).first)
            #expect(event.key == "acme/com.example.tunes/\(expected.keyID)")
            #expect(try MessageJSON.decode(DeviceAttested.self, from: event.body).device == expected)
        }
    }

    @Test(
        "Each step fails under its own name, whether the app was seen before or not; the challenge is spent",
        arguments: faults, [false, true])
    func fault(fault: Fault, isSeen: Bool) async throws {
        try await DeviceCast.with { cast in
            if isSeen { try await cast.enrol(DeviceCast.phone(), challenge: "zero") }
            let phone = try DeviceCast.phone()
            var message = try cast.attestation(of: phone, challenge: "one", change: fault.change)
            fault.send(&message)

            let answer = try await cast.rig.edge.request(message)
            let again = try await cast.rig.edge.request(message)
            message.attestation = "AAAA"
            let other = try await cast.rig.edge.request(message)

            #expect(answer.refusal == fault.reason, "\(answer)")
            #expect(again.refusal == fault.reason, "\(again)")
            #expect(other.refusal == "challenge_used")
            #expect(try await cast.record(of: phone) == nil)
        }
    }

    @Test("The key's name and the attestation are taken in either alphabet, padded or not")
    func alphabets() async throws {
        try await DeviceCast.with { cast in
            for number in 0..<4 {
                let phone = try DeviceCast.phone()
                var message = try cast.attestation(of: phone, challenge: "\(number)")
                if number & 1 == 1 {
                    message.keyID = DeviceKeyID(rawValue: Base64.url.encode(phone.keyID))
                }
                if number & 2 == 2 {
                    let bytes = try #require(Base64.standard.decode(message.attestation.utf8))
                    message.attestation = Base64.url.encode(bytes)
                }
                let standing = try await cast.rig.edge.request(message).value
                #expect(standing?.keyID.rawValue == Base64.standard.encode(phone.keyID))
            }
        }
    }

    @Test("The bytes of the challenge may have been hashed instead of its text")
    func decodedChallenge() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone()
            let message = try cast.attestation(of: phone, challenge: "one") { design in
                design.clientDataHash = Digest.sha256("one".utf8)
            }

            #expect(try await cast.rig.edge.request(message).value?.generation == 1)
        }
    }

    @Test("Development counts where the app accepts it, from the moment that it does, and is marked")
    func environments() async throws {
        try await DeviceCast.with { cast in
            let phone = try DeviceCast.phone(.development)
            let refused = try await cast.rig.edge.request(cast.attestation(of: phone, challenge: "one"))
            _ = try await cast.rig.operators.send(
                AppPut(
                    organisation: DeviceCast.organisation, app: DeviceCast.app, attestEnvironments: [.development]),
                at: .epoch + .seconds(1))
            let taken = try await cast.rig.edge.request(cast.attestation(of: phone, challenge: "two"))
            let customer = try await cast.rig.edge.request(
                cast.attestation(of: DeviceCast.phone(), challenge: "three"))

            #expect(refused.refusal == "environment_mismatch")
            #expect(taken.value?.environment == .development)
            #expect(customer.refusal == "environment_mismatch")
        }
    }

    @Test("An app without a team, and one that nobody has connected, attest nothing and spend nothing")
    func teamMissing() async throws {
        try await DeviceCast.with(change: { $0.teamID = nil }) { cast in
            let phone = try DeviceCast.phone()
            let message = try cast.attestation(of: phone, challenge: "one")
            var foreign = message
            foreign.organisation = "umbrella"
            var asserting = phone
            var assertion = try cast.assertion(by: &asserting, challenge: "two")

            let missing = try await cast.rig.edge.request(message)
            let unknown = try await cast.rig.edge.request(foreign)
            let asserted = try await cast.rig.edge.request(assertion)
            assertion.organisation = "umbrella"
            let nowhere = try await cast.rig.edge.request(assertion)
            _ = try await cast.rig.operators.send(
                AppPut(organisation: DeviceCast.organisation, app: DeviceCast.app, teamID: DeviceCast.team),
                at: .epoch + .seconds(1))
            let later = try await cast.rig.edge.request(message)

            #expect(missing.refusal == "team_id_missing")
            #expect(unknown.refusal == "app_unknown")
            #expect(asserted.refusal == "team_id_missing")
            #expect(nowhere.refusal == "app_unknown")
            #expect(later.value?.generation == 1)
        }
    }

    @Test("A bad receipt does not fail the attestation; its verdict is kept")
    func badReceipt() async throws {
        try await DeviceCast.with { cast in
            for (number, receipt) in ([[], [1, 2, 3]] as [[UInt8]]).enumerated() {
                let phone = try DeviceCast.phone()
                let message = try cast.attestation(of: phone, challenge: "\(number)") { $0.receiptBytes = receipt }

                #expect(try await cast.rig.edge.request(message).value != nil)
                let kept = try await cast.record(of: phone)?.receipt
                #expect(kept?.isVerified == false)
                #expect(kept?.step == "structure")
                #expect((kept?.digest == nil) == receipt.isEmpty)
            }
        }
    }

    @Test("What newer systems append is kept, whatever the flag says")
    func extensions() async throws {
        try await DeviceCast.with { cast in
            for (number, flags) in ([0x40, 0xC0] as [UInt8]).enumerated() {
                let phone = try DeviceCast.phone()
                let message = try cast.attestation(of: phone, challenge: "\(number)") { design in
                    design.flags = flags
                    design.extensions = AttestationDesign.extensions(bundleVersion: 258, validationCategory: 4)
                }

                #expect(try await cast.rig.edge.request(message).value != nil)
                let record = try await cast.record(of: phone)
                #expect(record?.bundleVersion == "258")
                #expect(record?.validationCategory == 4)
                let key = Base64.standard.encode(phone.keyID)
                let kept = try await cast.rig.database.read { snapshot in
                    try snapshot.first(
                        "SELECT extensions, receipt FROM attestation_remains WHERE key_id = ?", .text(key)
                    ) { (String(decoding: try $0.blob(0), as: UTF8.self), try $0.blob(1)) }
                }
                #expect(kept?.0.contains(#""apple_bundle_version_01":"02010000""#) == true)
                #expect(Digest.sha256(kept?.1 ?? []).hexadecimal == record?.receipt.digest)
            }
        }
    }

    @Test("An app without test roots believes Apple alone, and one with them does not")
    func roots() async throws {
        try await DeviceCast.with(change: { $0.testRoots = nil }) { cast in
            let answer = try await cast.rig.edge.request(
                cast.attestation(of: DeviceCast.phone(), challenge: "one"))

            #expect(answer.refusal == "chain_invalid")
        }
    }

    @Test("Nobody but edges may ask")
    func authors() async throws {
        try await DeviceCast.with { cast in
            let message = try cast.attestation(of: DeviceCast.phone(), challenge: "one")

            let answer = try await cast.rig.operators.request(message)

            guard case .failed(let refusal) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(refusal.reason == "not_from_owner")
        }
    }
}
