import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import TestSupport
import Testing

/// One device's attestation, changed in every way that takes one step.
@Suite("Tampering with attestations")
struct AttestTamperingTests {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let sample = try? Sample()

    /// The receipt in it is small: it is not covered, and is tampered with on its own elsewhere.
    struct Sample: Sendable {
        let bytes: [UInt8]
        let keyID: [UInt8]
        let verifier: AttestationVerifier
        let fields: [String: JSONValue]

        init() throws {
            let authority = try TestAuthority.make()
            let device = try SimulatedDevice(appID: "TEAM123456.com.example.app")
            bytes = try device.attest(clientDataHash: [7], by: authority, at: now) { design in
                design.receiptBytes = [0x30, 0x00]
                design.extensions = AttestationDesign.extensions(bundleVersion: 1, validationCategory: 4)
            }
            keyID = device.keyID
            verifier = AttestationVerifier(
                appID: device.appID, roots: authority.trustRoots, receiptRoots: authority.trustRoots)
            fields = try #require(Attestation(unverified: bytes)).fields
        }

        func verdict(on bytes: [UInt8]) throws -> Verdict<VerifiedAttestation> {
            try verifier.verify(bytes, keyID: keyID, clientData: .hash([7]), at: now).verdict
        }
    }

    @Test("As it is it is verified")
    func untouched() throws {
        let sample = try #require(Self.sample)

        guard case .verified(let verified) = try sample.verdict(on: sample.bytes) else {
            Issue.record("not verified")
            return
        }
        #expect(verified.attestation.fields == sample.fields)
    }

    @Test("Cut at any byte it is refused")
    func truncation() throws {
        let sample = try #require(Self.sample)
        for count in sample.bytes.indices {
            #expect(try !sample.verdict(on: Array(sample.bytes.prefix(count))).isVerified, "\(count) bytes")
        }
    }

    @Test("With any one bit changed it is refused or says the same, the digest of the receipt excepted")
    func bits() async throws {
        let sample = try #require(Self.sample)
        let expected = sample.fields.filter { $0.key != "receipt_sha256" }
        try await sideBySide(0..<sample.bytes.count * 8) { bit in
            var changed = sample.bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard case .verified(let verified) = try sample.verdict(on: changed) else { return }
            #expect(verified.attestation.fields.filter { $0.key != "receipt_sha256" } == expected, "bit \(bit)")
        }
    }

    @Test(
        "With something taken out, put in or exchanged it is refused or says the same",
        arguments: [1, 2, 3] as [UInt64])
    func splices(seed: UInt64) throws {
        let sample = try #require(Self.sample)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let from = Int.random(in: sample.bytes.indices, using: &generator)
            let to = Int.random(in: from..<min(from + 64, sample.bytes.count), using: &generator)
            let start = Int.random(in: sample.bytes.indices, using: &generator)
            var changed = sample.bytes
            changed.replaceSubrange(
                from..<to, with: sample.bytes[start...].prefix(Int.random(in: 0..<64, using: &generator)))
            guard case .verified(let verified) = try sample.verdict(on: changed) else { continue }
            #expect(verified.attestation.fields == sample.fields, "seed \(seed)")
        }
    }
}
