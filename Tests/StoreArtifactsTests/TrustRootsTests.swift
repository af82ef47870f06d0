import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Trust roots")
struct TrustRootsTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("Apple's root is the published one, and no test")
    func apple() throws {
        let roots = try TrustRoots.apple()
        let fingerprint = try #require(roots.certificates.first).fingerprint

        #expect(roots.certificates.count == 1)
        #expect(
            fingerprint.hexadecimal
                == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(roots.certificates[0].subject.hasSuffix("CN=Apple Root CA - G3"))
        #expect(!roots.areTest)
    }

    @Test("Below Apple's root nobody else's signature counts")
    func strangers() throws {
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: try .apple())
        var store = SimulatedStore(bundleID: "com.example.app")
        let text = try TestAuthority.make().signTransaction(store.buy(.consumable("gem"), at: Self.now).latest)

        guard case .refused(.chain, .untrustedChain, _) = try verifier.verify(Array(text.utf8), at: Self.now).verdict
        else {
            Issue.record("believed")
            return
        }
    }

    @Test("Xcode's own certificate is accepted for Xcode's environments only, and only if it is listed")
    func storeKitTesting() throws {
        let key = try PrivateKey.generate()
        var builder = CertificateBuilder(commonName: "StoreKit Testing", validity: Self.now - 1000...Self.now + 1000)
        builder.isAuthority = true
        let certificate = try builder.selfSigned(by: key)
        let another = try builder.selfSigned(by: try PrivateKey.generate())
        let anybody = TrustRoots.storeKitTesting([])
        let listed = TrustRoots.storeKitTesting([another, certificate])
        let notListed = TrustRoots.storeKitTesting([another])

        #expect(anybody.areTest)
        #expect(try outcome(anybody, .xcode, certificate, key) == "verified")
        #expect(try outcome(listed, .localTesting, certificate, key) == "verified")
        #expect(try outcome(notListed, .xcode, certificate, key) == "untrusted_chain")
        #expect(try outcome(anybody, .xcode, another, key) == "bad_signature")
        #expect(try outcome(anybody, .production, certificate, key) == "wrong_environment")
        #expect(try outcome(listed, .sandbox, certificate, key) == "wrong_environment")
        #expect(try outcome(listed, nil, certificate, key) == "wrong_environment")
        #expect(try outcome(try .apple(), .xcode, certificate, key) == "chain_length")
    }

    private func outcome(
        _ roots: TrustRoots, _ environment: AppleEnvironment?, _ certificate: Certificate, _ key: PrivateKey
    ) throws -> String {
        var payload = TransactionPayload(signedDate: Self.now)
        payload.bundleID = "com.example.app"
        payload.environment = environment
        let header = TestAuthority.header(certificates: [certificate])
        let input = "\(Base64.url.encode(header.utf8)).\(Base64.url.encode(try payload.json()))"
        let text = "\(input).\(Base64.url.encode(try key.rawSignature(over: input.utf8)))"
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: roots)
        return switch try verifier.verify(Array(text.utf8), at: Self.now).verdict {
        case .verified: "verified"
        case .refused(_, let reason, _), .retryable(let reason): reason.rawValue
        }
    }
}
