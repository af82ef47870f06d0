import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

/// Attestations of a simulated device, right but for one thing each.
@Suite("Attestations")
struct AttestationVerifierTests {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let appID = "TEAM123456.com.example.app"
    static let challenge = "AAECAwQF"
    static let authority = try? TestAuthority.make()

    let authority: TestAuthority
    let device: SimulatedDevice

    init() throws {
        authority = try #require(Self.authority)
        device = try SimulatedDevice(appID: Self.appID)
    }

    typealias Fault = StoreArtifactsTests.Fault<AttestationDesign>

    /// One fault for each step, in the order of the steps. The key that the caller names is wrong where that is due.
    static let steps = [
        Fault("bytes behind it", .cbor, .malformed) { $0.trailing = [0] },
        Fault("another format", .format, .malformed) { $0.format = "packed" },
        Fault("another authority", .chain, .untrustedChain) { $0.signer = try TestAuthority.make().deviceAuthority },
        Fault("another nonce", .nonce, .nonceMismatch) { $0.nonce = [UInt8](repeating: 1, count: 32) },
        Fault("another key is named", .keyID, .keyIDMismatch) { _ in },
        Fault("another app", .appID, .wrongApp) { $0.appID = "TEAM123456.com.example.other" },
        Fault("a key that has been used", .counter, .counter) { $0.counter = 1 },
        Fault("a developer's device", .environment, .wrongEnvironment) { $0.aaguid = Array("appattestdevelop".utf8) },
        Fault("another credential", .credentialID, .keyIDMismatch) { $0.credentialID[0] ^= 1 },
        Fault("another point", .publicKey, .keyIDMismatch) { $0.publicKey[64] ^= 1 },
    ]

    static let faults = [
        Fault("no fmt", .cbor, .malformed) { $0.missingMembers = ["fmt"] },
        Fault("no attStmt", .cbor, .malformed) { $0.missingMembers = ["attStmt"] },
        Fault("no authData", .cbor, .malformed) { $0.missingMembers = ["authData"] },
        Fault("a member twice", .cbor, .malformed) { $0.extraMembers = [("fmt", CBORWriter.text("apple-appattest"))] },
        Fault("no certificates", .chain, .malformed) { $0.certificates = [] },
        Fault("one certificate", .chain, .malformed) { $0.certificates = [[0x30, 0x00]] },
        Fault("100 certificates", .chain, .chainLength) { $0.certificates = .init(repeating: [0x30, 0], count: 100) },
        Fault("no certificate at all", .chain, .badCertificate) { $0.certificates = [[1], [2]] },
        Fault("something behind a certificate", .chain, .badCertificate) { design in
            let root = try #require(authority).root.der
            design.certificates = [root + [0], root]
        },
        Fault("an intermediate that is no authority", .chain, .untrustedChain) { design in
            let builder = CertificateBuilder(commonName: "nobody", validity: design.validity)
            design.signer = try #require(authority).rootSigner.issue(builder, for: try .generate(.p384))
        },
        Fault("a key that is not P-256", .chain, .badCertificate) { design in
            design.certifiedKey = try PrivateKey.generate(.p384).publicKey
        },
        Fault("a certificate that has run out", .chain, .certificateExpired) { $0.validity = now - 200...now - 100 },
        Fault("one that is not valid yet", .chain, .certificateExpired) { $0.validity = now + 100...now + 200 },
        Fault("no nonce", .nonce, .badCertificate) { $0.hasNonce = false },
        Fault("an empty nonce", .nonce, .nonceMismatch) { $0.nonce = [] },
        Fault("another key is certified", .keyID, .keyIDMismatch) { design in
            design.certifiedKey = try PrivateKey.generate().publicKey
        },
        Fault("an environment that is not known", .environment, .wrongEnvironment) { design in
            design.aaguid = Array("appattestsandbox".utf8)
        },
        Fault("an empty credential", .credentialID, .keyIDMismatch) { $0.credentialID = [] },
        Fault("a long credential", .credentialID, .keyIDMismatch) { $0.credentialID += $0.credentialID },
        .cut(to: 0, .appID), .cut(to: 31, .appID), .cut(to: 36, .counter), .cut(to: 52, .environment),
        .cut(to: 54, .credentialID), .cut(to: 86, .credentialID), .cut(to: 87, .publicKey), .cut(to: 163, .publicKey),
        Fault("no map behind the key", .publicKey, .malformed) { $0.extensions = [0x01] },
        Fault("two maps behind the key", .publicKey, .malformed) { $0.extensions = [0xA0, 0xA0] },
        Fault("half a map behind the key", .publicKey, .malformed) { $0.extensions = [0xA1, 0x01] },
        Fault("the same twice in that map", .publicKey, .malformed) { $0.extensions = [0xA2, 1, 1, 1, 1] },
        Fault("a map that does not tell its size", .publicKey, .malformed) { $0.extensions = [0xBF, 0xFF] },
        Fault("deep nesting in that map", .publicKey, .malformed) { design in
            design.extensions = [0xA1, 0x01] + [UInt8](repeating: 0x81, count: 5000) + [0x00]
        },
    ]

    @Test("A device's attestation is verified, with its receipt", arguments: SimulatedDevice.Environment.all)
    func genuine(environment: SimulatedDevice.Environment) throws {
        let device = try SimulatedDevice(appID: Self.appID, environment: environment)
        let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now)

        let verified = try verified(bytes, of: device, in: nil)

        #expect(verified.attestation.keyID == device.keyID)
        #expect(verified.attestation.publicKey == device.publicKey)
        #expect(verified.attestation.environment.rawValue == environment.rawValue)
        #expect(verified.attestation.extensions == nil)
        guard case .verified(let receipt) = verified.receipt else {
            Issue.record("\(verified.receipt)")
            return
        }
        #expect(receipt.appID == Self.appID)
        #expect(receipt.publicKey == device.publicKey)
    }

    @Test("Each step fails for its own reason", arguments: steps + faults)
    func fault(fault: Fault) throws {
        let bytes = try attest([fault])

        try expectRefusal(of: bytes, for: fault, naming: Self.steps[4].testDescription == fault.testDescription)
    }

    @Test("Of several faults the one is named whose step comes first", arguments: steps.indices)
    func order(first: Int) throws {
        let bytes = try attest(Array(Self.steps[first...]))

        try expectRefusal(of: bytes, for: Self.steps[first], naming: first <= 4)
    }

    @Test("The client data is the bytes, their hash, or a challenge of which text or bytes were hashed")
    func clientData() throws {
        let decoded = try #require(Base64.url.decode(Self.challenge.utf8))
        for (signed, accepted) in [
            (Array(Self.challenge.utf8), [ClientData.bytes(Array(Self.challenge.utf8)), .challenge(Self.challenge)]),
            (decoded, [.bytes(decoded), .challenge(Self.challenge)]),
            (Array("no base64url!".utf8), [.challenge("no base64url!")]),
        ] {
            let hash = Digest.sha256(signed)
            let bytes = try device.attest(clientDataHash: hash, by: authority, at: Self.now)

            for clientData in accepted + [.hash(hash)] {
                #expect(try verify(bytes, clientData: clientData).verdict.isVerified, "\(clientData)")
            }
            for clientData in [ClientData.hash(signed), .bytes(hash), .challenge("AAECAwQG"), .hash([])] {
                try expectRefusal(of: verify(bytes, clientData: clientData), .nonce, .nonceMismatch)
            }
            try expectRefusal(of: verify(bytes, clientData: nil), .nonce, .nonceMismatch)
        }
    }

    @Test("The bare challenge in the place of the hash is taken as Apple's own samples have it")
    func bareChallenge() throws {
        let bytes = try device.attest(clientDataHash: [1, 2, 3], by: authority, at: Self.now)

        #expect(try verify(bytes, clientData: .hash([1, 2, 3])).verdict.isVerified)
    }

    @Test("A known authority certifies nothing beyond its own time, under other roots, or as Xcode's")
    func knownAuthority() throws {
        var design = TestAuthority.Design()
        design.validity = Self.now - 1_000...Self.now + 1_000
        let authority = try TestAuthority.make(design)
        let cache = ChainCache()
        func verify(under roots: TrustRoots, at date: Date) throws -> Verification<VerifiedAttestation> {
            let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now)
            return try AttestationVerifier(appID: nil, roots: roots, receiptRoots: roots).verify(
                bytes, keyID: nil, clientData: .hash(Self.hash), at: date, cache: cache)
        }
        let first = try verify(under: authority.trustRoots, at: Self.now)
        #expect(first.chains.count == 2)
        for chain in first.chains { cache.remember(chain, at: Self.now) }

        let second = try verify(under: authority.trustRoots, at: Self.now)
        #expect(second.verdict.isVerified)
        #expect(second.chains.isEmpty)
        try expectRefusal(
            of: verify(under: authority.trustRoots, at: Self.now + 1_001), .chain, .certificateExpired)
        try expectRefusal(of: verify(under: self.authority.trustRoots, at: Self.now), .chain, .untrustedChain)
        for certificates in [[], [authority.root]] {
            try expectRefusal(
                of: verify(under: .storeKitTesting(certificates), at: Self.now), .chain, .untrustedChain)
        }
    }

    @Test("What is not asked for is not compared")
    func nothingExpected() throws {
        let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now)
        let roots = authority.trustRoots

        let verification = try AttestationVerifier(appID: nil, roots: roots, receiptRoots: roots).verify(
            bytes, keyID: nil, clientData: .hash(Self.hash), at: Self.now)

        #expect(verification.verdict.isVerified)
    }

    @Test("The map behind the key is kept, and what Apple has put there is decoded")
    func extensions() throws {
        let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) {
            $0.extensions = AttestationDesign.extensions(bundleVersion: 258, validationCategory: 4)
        }

        let attestation = try verified(bytes, of: device).attestation

        #expect(attestation.bundleVersion == "258")
        #expect(attestation.validationCategory == 4)
        #expect(attestation.flags == 0x40)
        #expect(
            attestation.fields["extensions"]
                == .object([
                    "apple_bundle_version_01": .string("02010000"), "apple_validation_category_01": .string("04000000"),
                ]))
        #expect(attestation.fields["validation_category"] == .integer(4))
    }

    @Test("What nobody knows yet in that map is kept, too")
    func unknownExtensions() throws {
        let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) {
            $0.flags = 0xC0
            $0.extensions = CBORWriter.map([
                (CBORWriter.text("apple_bundle_version_01"), CBORWriter.text("1.2.3")),
                (CBORWriter.text("new"), CBORWriter.array([CBORWriter.negative(41), [0xF5], [0xF6]])),
                (CBORWriter.text("number"), CBORWriter.unsigned(1 << 60)),
                (CBORWriter.unsigned(7), CBORWriter.map([(CBORWriter.text("a"), CBORWriter.bytes([0xAB]))])),
                (CBORWriter.text("8"), CBORWriter.text("the text")), (CBORWriter.unsigned(8), CBORWriter.unsigned(8)),
                (CBORWriter.negative(0), CBORWriter.negative(.max)),
            ])
        }

        let attestation = try verified(bytes, of: device).attestation

        #expect(attestation.bundleVersion == "1.2.3")
        #expect(attestation.validationCategory == nil)
        #expect(attestation.extensions?["new"] == .array([.integer(-42), .boolean(true), .null]))
        #expect(attestation.extensions?["number"] == .string("1152921504606846976"))
        #expect(attestation.extensions?["8"] == .string("the text"))
        #expect(attestation.extensions?["-1"] == .string("-18446744073709551616"))
        #expect(attestation.extensions?["7"] == .object(["a": .string("ab")]))
    }

    @Test("Apple's other extensions in the certificate are kept, decoded if they are lists")
    func certificateExtensions() throws {
        let list: [UInt8] = [
            0x30, 0x17, 0xBF, 0x8A, 0x78, 0x06, 0x04, 0x04, 0x31, 0x38, 0x2E, 0x30, 0xBF, 0x88, 0x50, 0x03, 0x02, 0x01,
            0xFE, 0xA5, 0x04, 0x04, 0x02, 0x00, 0xFF,
        ]
        let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) {
            $0.certificateExtensions = [
                .init("1.2.840.113635.100.8.7", value: list),
                .init("1.2.840.113635.100.8.99", value: [0x30, 0x05]),
                .init("1.2.840.113635.100.9.1", value: [0x05, 0x00]),
            ]
        }

        let remarks = try verified(bytes, of: device).attestation.certificateExtensions

        #expect(
            remarks == [
                "1.2.840.113635.100.8.7": .object([
                    "1400": .string("18.0"), "1104": .integer(-2), "5": .string("0x00ff"),
                ]), "1.2.840.113635.100.8.99": .string("0x3005"),
            ])
    }

    @Test("A receipt that is missing, damaged, or of another does not make the attestation worse")
    func receipts() throws {
        let other = try SimulatedDevice(appID: Self.appID)
        let foreign = try verified(
            try other.attest(clientDataHash: Self.hash, by: authority, at: Self.now), of: other
        ).attestation.receipt
        for (receipt, step, reason) in [
            ([], VerificationStep.structure, RefusalReason.malformed), ([1, 2, 3], .structure, .malformed),
            (foreign, .publicKey, .keyIDMismatch),
        ] {
            let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) {
                $0.receiptBytes = receipt
            }

            let verified = try verified(bytes, of: device)

            #expect(verified.attestation.receipt == receipt)
            guard case .refused(step, reason, _) = verified.receipt else {
                Issue.record("\(verified.receipt)")
                return
            }
        }
    }

    @Test("A receipt under another name is not lost unseen")
    func renamedReceipt() throws {
        var bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now)
        let name = try #require(bytes.firstRange(of: Array("receipt".utf8)))
        bytes[name.lowerBound] ^= 1

        try expectRefusal(of: verify(bytes), .format, .malformed)
    }

    @Test("Whatever is read from one that is not verified is there to be shown")
    func unverified() throws {
        let bytes = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) {
            $0.nonce = []
            $0.counter = 7
        }

        let attestation = try #require(Attestation(unverified: bytes))

        #expect(attestation.counter == 7)
        #expect(attestation.keyID == device.keyID)
        #expect(Attestation(unverified: [0xA0]) == nil)
    }

    static let hash = Digest.sha256(challenge.utf8)

    /// An attestation with all of these faults.
    private func attest(_ faults: [Fault]) throws -> [UInt8] {
        try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) { design in
            for fault in faults { try fault.change(&design) }
        }
    }

    private func verify(
        _ bytes: [UInt8], of device: SimulatedDevice? = nil, keyID: [UInt8]? = nil,
        clientData: ClientData? = .challenge(challenge), in environments: Set<AttestedEnvironment>? = [.production]
    ) throws -> Verification<VerifiedAttestation> {
        let roots = authority.trustRoots
        let verifier = AttestationVerifier(
            appID: Self.appID, environments: environments, roots: roots, receiptRoots: roots)
        return try verifier.verify(
            bytes, keyID: keyID ?? (device ?? self.device).keyID, clientData: clientData, at: Self.now)
    }

    private func verified(
        _ bytes: [UInt8], of device: SimulatedDevice, in environments: Set<AttestedEnvironment>? = [.production]
    ) throws -> VerifiedAttestation {
        let verdict = try verify(bytes, of: device, in: environments).verdict
        guard case .verified(let verified) = verdict else { throw Refused(verdict: "\(verdict)") }
        return verified
    }

    private func expectRefusal(of bytes: [UInt8], for fault: Fault, naming otherKey: Bool) throws {
        let keyID = otherKey ? [UInt8](repeating: 0, count: 32) : device.keyID
        try expectRefusal(of: verify(bytes, keyID: keyID), fault.step, fault.reason)
    }

    private func expectRefusal(
        of verification: Verification<VerifiedAttestation>, _ step: VerificationStep, _ reason: RefusalReason
    ) throws {
        guard case .refused(let failed, let why, let message) = verification.verdict else {
            Issue.record("\(verification.verdict)")
            return
        }
        #expect(failed == step, "\(message)")
        #expect(why == reason, "\(message)")
        #expect(verification.chains.isEmpty)
    }

    private struct Refused: Error {
        let verdict: String
    }
}

extension SimulatedDevice.Environment {
    static var all: [SimulatedDevice.Environment] { [.development, .production] }
}

extension Fault<AttestationDesign> {
    /// Authenticator data that ends too early, and was signed like that.
    static func cut(to count: Int, _ step: VerificationStep) -> Fault {
        Fault("\(count) bytes of authenticator data", step, .malformed) { design in
            let data = Array(design.authenticatorData.prefix(count))
            design.nonce = Digest.sha256(data + design.clientDataHash)
            design.missingMembers = ["authData"]
            design.extraMembers = [("authData", CBORWriter.bytes(data))]
        }
    }
}
