import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("App Attest receipts")
struct AttestReceiptVerifierTests {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let appID = "TEAM123456.com.example.app"
    static let authority = try? TestAuthority.make()

    let authority: TestAuthority
    let device: SimulatedDevice
    let certificate: Certificate

    init() throws {
        authority = try #require(Self.authority)
        device = try SimulatedDevice(appID: Self.appID)
        let builder = CertificateBuilder(commonName: "device", validity: Self.now...Self.now + 86_400)
        let signer = try authority.deviceAuthority
        certificate = try builder.certificate(
            for: device.key.publicKey, signedBy: signer.key, of: signer.certificate)
    }

    typealias Fault = StoreArtifactsTests.Fault<AttestationReceiptDesign>

    static let faults = [
        Fault("another authority", .chain, .untrustedChain) { design in
            design.signer = try TestAuthority.make().attestationReceiptSigner
        },
        Fault("the signer of other receipts", .chain, .wrongPurpose) { design in
            design.signer = try #require(authority).leafSigner
        },
        Fault("another app", .appID, .wrongApp) { $0.appID = "TEAM123456.com.example.other" },
        Fault("another key", .publicKey, .keyIDMismatch) { design in
            let builder = CertificateBuilder(commonName: "other", validity: now...now + 1)
            design.certificate = try builder.selfSigned(by: try PrivateKey.generate()).der
        },
        Fault("no certificate", .structure, .malformed) { $0.certificate = [1, 2, 3] },
        Fault("no key", .structure, .malformed) { $0.changes.missing = [3] },
        Fault("no app", .structure, .malformed) { $0.changes.missing = [2] },
        Fault("no date", .structure, .malformed) { $0.changes.missing = [12] },
        Fault("a date that is none", .structure, .malformed) { design in
            design.changes.replace(with: ReceiptAttribute(12, bytes: Array("yesterday".utf8)))
        },
        Fault("a text that is none", .structure, .malformed) { design in
            design.changes.replace(with: ReceiptAttribute(5, bytes: [0xFF]))
        },
        Fault("the same field twice", .structure, .malformed) { design in
            design.changes.extra = [ReceiptAttribute(2, bytes: Array("TEAM123456.com.example.app".utf8))]
        },
        Fault("an hour old", .age, .stale) { $0.createdAt = now - 3_600 },
        Fault("one that has run out", .age, .stale) { $0.expiresAt = now - 1 },
    ]

    @Test("Apple's and ours are read alike, in definite and indefinite lengths")
    func genuine() throws {
        for form in [SignedDataDesign.Form.definite, .indefinite(segment: 1_000), .indefinite(segment: 1)] {
            let bytes = try sign {
                $0.form = form
                $0.kind = .receipt
                $0.riskMetric = 3
                $0.notBefore = Self.now + 86_400
            }

            guard case .verified(let receipt) = try verify(bytes).verdict else {
                Issue.record("not verified")
                return
            }

            #expect(receipt.riskMetric == 3)
            #expect(receipt.creationDate == Self.now)
            #expect(receipt.notBefore == Self.now + 86_400)
            #expect(receipt.fields["type"] == .string("RECEIPT"))
            #expect(receipt.fields["creation_time"] == .string("2026-09-21T14:13:20.000Z"))
            #expect(receipt.fields["environment"] == .string("production"))
            #expect(AttestationReceipt(unverified: bytes) == receipt)
        }
    }

    @Test("Each step fails for its own reason", arguments: faults)
    func fault(fault: Fault) throws {
        try expectRefusal(of: verify(sign(fault.change)), fault.step, fault.reason)
    }

    @Test(
        "Something else than a container is no receipt",
        arguments: [[], [0x30, 0x80], [0xA0], [0x30, 0x03, 2, 1, 1]] as [[UInt8]])
    func structure(bytes: [UInt8]) throws {
        try expectRefusal(of: verify(bytes), .structure, .malformed)
    }

    @Test("A signature that is not the signer's is seen before what it is over")
    func signature() throws {
        var bytes = try sign { $0.appID = "TEAM123456.com.example.other" }
        let app = try #require(bytes.firstRange(of: Array("com.example".utf8)))
        bytes[app.lowerBound] ^= 1

        try expectRefusal(of: verify(bytes), .signature, .badSignature)
    }

    @Test(
        "It may be as old as is asked for, and is not yet good if it is from the future",
        arguments: [
            (-300, true), (-301, false), (0, true), (60, true),
        ] as [(TimeInterval, Bool)])
    func age(seconds: TimeInterval, isVerified: Bool) throws {
        let verdict = try verify(sign { $0.createdAt = Self.now + seconds }).verdict

        #expect(verdict.isVerified == isVerified)
    }

    @Test("One from the future is not refused, but to be tried again")
    func future() throws {
        guard case .retryable(.signedInFuture) = try verify(sign { $0.createdAt = Self.now + 61 }).verdict else {
            Issue.record("not retryable")
            return
        }
    }

    @Test("What is not asked for is not compared")
    func nothingExpected() throws {
        let bytes = try sign { $0.createdAt = Self.now - 86_400 }

        let verification = try AttestationReceiptVerifier(appID: nil, roots: authority.trustRoots).verify(
            bytes, publicKey: nil, at: Self.now)

        #expect(verification.verdict.isVerified)
    }

    @Test("The key may be a point or a SubjectPublicKeyInfo; anything else is no key")
    func keys() throws {
        let bytes = try sign()

        #expect(try verify(bytes, publicKey: device.key.publicKey.der).verdict.isVerified)
        try expectRefusal(of: verify(bytes, publicKey: device.keyID), .publicKey, .badKey)
    }

    @Test("Cut at any byte it is refused, the signer known or not", arguments: [true, false])
    func truncation(isKnown: Bool) throws {
        let bytes = try sign()
        let cache = try cache(after: isKnown ? bytes : [])

        for count in bytes.indices {
            #expect(try !verify(Array(bytes.prefix(count)), cache: cache).verdict.isVerified, "\(count) bytes")
        }
    }

    @Test("With any one bit changed it is refused or says the same")
    func bits() async throws {
        let bytes = try sign()
        // A changed certificate is that of an unknown signer, so that both ways are gone.
        let cache = try cache(after: bytes)
        let receipt = try #require(AttestationReceipt(unverified: bytes))

        try await sideBySide(0..<bytes.count * 8) { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Bits that nobody signs and that say nothing may change, such as those of certificates that are not used.
            guard case .verified(let read) = try verify(changed, cache: cache).verdict else { return }
            #expect(read == receipt, "bit \(bit)")
        }
    }

    private func cache(after bytes: [UInt8]) throws -> ChainCache {
        let cache = ChainCache()
        for chain in try verify(bytes).chains { cache.remember(chain, at: Self.now) }
        return cache
    }

    private func sign(
        _ change: (inout AttestationReceiptDesign) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        var design = AttestationReceiptDesign(appID: Self.appID, environment: .production, createdAt: Self.now)
        try change(&design)
        return try authority.signAttestationReceipt(design, certificate: certificate)
    }

    private func verify(
        _ bytes: [UInt8], publicKey: [UInt8]? = nil, cache: ChainCache? = nil
    ) throws -> Verification<AttestationReceipt> {
        try AttestationReceiptVerifier(appID: Self.appID, roots: authority.trustRoots).verify(
            bytes, publicKey: publicKey ?? device.publicKey, maximumAge: 300, at: Self.now, cache: cache)
    }

    private func expectRefusal(
        of verification: Verification<AttestationReceipt>, _ step: VerificationStep, _ reason: RefusalReason
    ) throws {
        guard case .refused(let failed, let why, let message) = verification.verdict else {
            Issue.record("\(verification.verdict)")
            return
        }
        #expect(failed == step, "\(message)")
        #expect(why == reason, "\(message)")
    }
}
