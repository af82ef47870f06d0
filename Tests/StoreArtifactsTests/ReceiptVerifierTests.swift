import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Verifying receipts")
struct ReceiptVerifierTests {
    static let device = DeviceIdentifier("D0D0D0D0-D0D0-D0D0-D0D0-D0D0D0D0D0D0")

    let sample: ReceiptSample

    init() throws { sample = try ReceiptSample() }

    @Test(
        "The app is compared exactly",
        arguments: ["com.example.App", "com.example.app ", "com.example", "", "com.example.app\0"])
    func bundleID(other: String) throws {
        let bytes = try sample.signed()

        #expect(try sample.verdict(bytes).words == "verified")
        let verifier = ReceiptVerifier(bundleID: other, roots: sample.roots)
        #expect(try verifier.verify(bytes, at: ReceiptSample.now).verdict.words == "bundle_id wrong_app")
    }

    @Test("Two spellings of one letter are two apps")
    func spelling() throws {
        let verifier = ReceiptVerifier(bundleID: "com.example.caf\u{E9}", roots: sample.roots)
        let bytes = try sample.signed { $0.bundleID = "com.example.cafe\u{301}" }

        #expect(try verifier.verify(bytes, at: ReceiptSample.now).verdict.words == "bundle_id wrong_app")
    }

    @Test("Only environments that are accepted pass")
    func environments() throws {
        let bytes = try sample.signed()
        func words(_ environments: Set<AppleEnvironment>?) throws -> String {
            try ReceiptVerifier(environments: environments, roots: sample.roots).verify(bytes, at: ReceiptSample.now)
                .verdict.words
        }

        #expect(try words(nil) == "verified")
        #expect(try words([.sandbox, .production]) == "verified")
        #expect(try words([.production]) == "environment wrong_environment")
        #expect(try words([]) == "environment wrong_environment")
    }

    @Test("The version is compared only if it is asked for")
    func version() throws {
        let bytes = try sample.signed { $0.appVersion = "7" }
        func words(_ version: String?) throws -> String {
            try ReceiptVerifier(version: version, roots: sample.roots).verify(bytes, at: ReceiptSample.now)
                .verdict.words
        }

        #expect(try words(nil) == "verified")
        #expect(try words("7") == "verified")
        #expect(try words("8") == "version wrong_app")
    }

    @Test(
        "The device is compared if it is given, in whatever form it is written",
        arguments: [
            ("D0D0D0D0-D0D0-D0D0-D0D0-D0D0D0D0D0D0", true), ("d0d0d0d0-d0d0-d0d0-d0d0-d0d0d0d0d0d0", true),
            ("d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0", true), ("D0D0D0D0-D0D0-D0D0-D0D0-D0D0D0D0D0D1", false),
            ("d0:d0:d0:d0:d0:d0", false),
        ])
    func device(text: String, isRight: Bool) throws {
        let device = try #require(DeviceIdentifier(text))
        let bytes = try sample.signed()

        let verdict = try ReceiptVerifier(device: device, roots: sample.roots).verify(bytes, at: ReceiptSample.now)
            .verdict

        #expect(verdict.words == (isRight ? "verified" : "device_hash device_hash_mismatch"))
        let fields = try SignedReceipt(bytes).fields(device: device)
        #expect(fields["device_hash"] == .string(isRight ? "ok" : "mismatch"))
    }

    @Test(
        "A Mac is known by its network address", arguments: ["0a:1B:2c:3d:4e:5f", "0A-1B-2C-3D-4E-5F", "0a1b2c3d4e5f"])
    func mac(text: String) throws {
        let device = try #require(DeviceIdentifier(text))
        let bytes = try sample.signed { $0.deviceIdentifier = [0x0A, 0x1B, 0x2C, 0x3D, 0x4E, 0x5F] }

        #expect(try SignedReceipt(bytes).receipt.isOf(device))
    }

    @Test(
        "What is no identifier of a device is none",
        arguments: [
            "", "-", "d0", "D0D0D0D0-D0D0-D0D0-D0D0-D0D0D0D0D0D", "D0D0D0D0:D0D0:D0D0:D0D0:D0D0D0D0D0D0g",
            "D0D0D0D0-D0D0-D0D0-D0D0-D0D0D0D0D0DG", "0a:1b:2c:3d:4e", "0a:1b:2c:3d:4e:5f:", "0a1b2c3d4e5g",
            "0a:1b-2c:3d:4e:5f", "ｄ0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0",
        ])
    func noDevice(text: String) {
        #expect(DeviceIdentifier(text) == nil)
        #expect(DeviceIdentifier(bytes: Array(text.utf8.prefix(5))) == nil)
    }

    @Test("A bundle id of more than 127 bytes goes into the device's hash with both bytes of its length")
    func longBundleID() throws {
        let bundleID = "com.example." + String(repeating: "a", count: 200)
        let bytes = try sample.signed { $0.bundleID = bundleID }
        let device = try #require(Self.device)

        #expect(try SignedReceipt(bytes).receipt.bundleIDBytes.prefix(3) == [0x0C, 0x81, 212])
        let verifier = ReceiptVerifier(bundleID: bundleID, device: device, roots: sample.roots)
        #expect(try verifier.verify(bytes, at: ReceiptSample.now).verdict.words == "verified")
    }

    @Test(
        "A receipt from the future is to be tried again, not refused, if nothing else is wrong",
        arguments: [
            (0, "verified"), (300, "verified"), (301, "retryable signed_in_future"),
            (1e9, "retryable signed_in_future"),
        ])
    func future(seconds: TimeInterval, expected: String) throws {
        let bytes = try sample.signed()

        #expect(try sample.verifier.verify(bytes, at: ReceiptSample.now - seconds).verdict.words == expected)
        let other = ReceiptVerifier(bundleID: "other", roots: sample.roots)
        #expect(try other.verify(bytes, at: ReceiptSample.now - seconds).verdict.words == "bundle_id wrong_app")
    }

    @Test("Of several failures the first in order is told, by either form of the call", arguments: 0..<64)
    func order(faults: Int) async throws {
        var expected = "verified"
        func fault(_ bit: Int, _ words: String) -> Bool {
            let isThere = faults & 1 << bit != 0
            if isThere, expected == "verified" { expected = words }
            return isThere
        }
        let stranger = TrustRoots([try Self.stranger.get().root], areTest: true)
        let roots = fault(0, "chain untrusted_chain") ? stranger : sample.roots
        let isForged = fault(1, "signature bad_signature")
        let verifier = ReceiptVerifier(
            bundleID: fault(2, "bundle_id wrong_app") ? "other" : ReceiptSample.bundleID,
            environments: fault(3, "environment wrong_environment") ? [.production] : [.sandbox],
            version: fault(4, "version wrong_app") ? "9" : "1",
            device: DeviceIdentifier(
                bytes: [UInt8](repeating: fault(5, "device_hash device_hash_mismatch") ? 1 : 0xD0, count: 16)),
            roots: roots)
        var bytes = try sample.signed()
        if isForged { bytes[bytes.count - 1] ^= 1 }

        #expect(try verifier.verify(bytes, at: ReceiptSample.now).verdict.words == expected)
        #expect(try await verifier.verifyConcurrently(bytes, at: ReceiptSample.now).verdict.words == expected)
    }

    private static let stranger = Result { try TestAuthority.make() }

    @Test("The steps are told in their order")
    func steps() throws {
        let device = try #require(Self.device)
        let all = ReceiptVerifier(bundleID: "a", environments: [], version: "1", device: device, roots: sample.roots)
        let few = ReceiptVerifier(roots: sample.roots)

        #expect(
            all.steps.map(\.rawValue) == [
                "structure", "chain", "signature", "bundle_id", "environment", "version", "device_hash",
                "creation_date",
            ])
        #expect(few.steps.map(\.rawValue) == ["structure", "chain", "signature", "environment", "creation_date"])
    }

    @Test("Each check can be used alone")
    func alone() throws {
        let receipt = try SignedReceipt(sample.signed())
        let circumstances = ReceiptCircumstances(now: ReceiptSample.now)
        let device = try #require(Self.device)
        let checks: [any ReceiptCheck] = [
            ReceiptChainCheck(roots: sample.roots), ReceiptSignatureCheck(),
            ReceiptBundleIDCheck(ReceiptSample.bundleID), ReceiptEnvironmentCheck([.sandbox], roots: sample.roots),
            ReceiptVersionCheck("1"), ReceiptDeviceCheck(device), ReceiptCreationDateCheck(),
        ]
        for check in checks {
            #expect(try check.verify(receipt, under: circumstances).verdict.words == "verified", "\(check.step)")
        }
        let version = try ReceiptVersionCheck("2").verify(receipt, under: circumstances).verdict
        #expect(version.words == "version wrong_app")
    }

    @Test("A verifier takes checks of one's own")
    func ownCheck() async throws {
        struct Weekday: ReceiptCheck {
            var step: VerificationStep { VerificationStep(rawValue: "weekday") }

            func verify(
                _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
            ) throws -> Verification<Void> {
                Verification(verdict: .refused(step: step, reason: .stale, message: "on a Tuesday"))
            }
        }
        let verifier = ReceiptVerifier(checks: [ReceiptChainCheck(roots: sample.roots), Weekday()])
        let bytes = try sample.signed()

        #expect(try verifier.verify(bytes, at: ReceiptSample.now).verdict.words == "weekday stale")
        #expect(try await verifier.verifyConcurrently(bytes, at: ReceiptSample.now).verdict.words == "weekday stale")
    }

    @Test("A signer is kept once he has signed, and answers for his own later on")
    func cache() throws {
        let cache = ChainCache()
        let bytes = try sample.signed()

        let first = try sample.verifier.verify(bytes, at: ReceiptSample.now, cache: cache)
        #expect(cache.count == 0)
        cache.remember(try #require(first.chain), at: ReceiptSample.now)

        let again = try sample.verifier.verify(bytes, at: ReceiptSample.now, cache: cache)
        #expect(again.verdict.words == "verified")
        #expect(again.chains.isEmpty)
        let other = try sample.verifier.verify(
            try sample.signed { $0.appVersion = "2" }, at: ReceiptSample.now, cache: cache)
        #expect(other.chains.isEmpty && other.verdict.words == "verified")
        var forged = bytes
        forged[forged.count - 1] ^= 1
        #expect(
            try sample.verifier.verify(forged, at: ReceiptSample.now, cache: cache).verdict.words
                == "signature bad_signature")
    }

    @Test("Genuine certificates without their signer's signature are not kept")
    func poisoning() async throws {
        var bytes = try sample.signed()
        bytes[bytes.count - 1] ^= 1
        let unsigned = ReceiptVerifier(checks: [ReceiptChainCheck(roots: sample.roots)])

        #expect(try sample.verifier.verify(bytes, at: ReceiptSample.now).chains.isEmpty)
        #expect(try await sample.verifier.verifyConcurrently(bytes, at: ReceiptSample.now).chains.isEmpty)
        #expect(try unsigned.verify(bytes, at: ReceiptSample.now).chains.isEmpty)
    }

    @Test("Who is known under one policy or root is not under another, and not for another signer of the same set")
    func separateCaches() throws {
        let cache = ChainCache()
        var design = TestAuthority.Design()
        design.intermediateMarkers = []
        let authority = try TestAuthority.make(design)
        let bytes = try authority.signReceipt(ReceiptSample.design())
        let lenient = ReceiptVerifier(roots: authority.trustRoots, demandsIntermediateMarker: false)
        let strict = ReceiptVerifier(roots: authority.trustRoots)
        cache.remember(try #require(try lenient.verify(bytes, at: ReceiptSample.now).chain), at: ReceiptSample.now)

        #expect(try lenient.verify(bytes, at: ReceiptSample.now, cache: cache).chains.isEmpty)
        #expect(try strict.verify(bytes, at: ReceiptSample.now, cache: cache).verdict.words == "chain wrong_purpose")
        #expect(
            try sample.verifier.verify(bytes, at: ReceiptSample.now, cache: cache).verdict.words
                == "chain untrusted_chain")
        // The same certificates, and the intermediate names itself as who signed.
        var container = SignedDataDesign(ReceiptSample.design().payload, signedBy: authority.intermediateSigner)
        container.certificates = try authority.receiptSigner.chain
        let verdict = try lenient.verify(try container.encoded(), at: ReceiptSample.now, cache: cache).verdict
        #expect(verdict.words == "chain untrusted_chain")
    }

    @Test("A known signer is refused for dates outside the validity of his certificates")
    func knownValidity() throws {
        let cache = ChainCache()
        let bytes = try sample.signed()
        cache.remember(
            try #require(try sample.verifier.verify(bytes, at: ReceiptSample.now).chain), at: ReceiptSample.now)

        let verdict = try sample.verifier.verify(
            bytes, at: ReceiptSample.now, certificateDate: sample.authority.root.notAfter, cache: cache
        ).verdict

        #expect(verdict.words == "chain cert_expired")
    }
}
