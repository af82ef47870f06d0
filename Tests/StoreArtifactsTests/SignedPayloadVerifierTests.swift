import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Verifying signed payloads")
struct SignedPayloadVerifierTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let authority = Result { try TestAuthority.make() }
    let authority: TestAuthority
    let payload: TransactionPayload

    init() throws {
        authority = try Self.authority.get()
        var store = SimulatedStore(bundleID: "com.example.app")
        payload = store.buy(.subscription("pro"), at: Self.now).latest
    }

    @Test("What the authority signs is verified, and says what was signed")
    func verified() throws {
        let signed = try verify(authority.signTransaction(payload))

        #expect(signed?.transactionID == payload.transactionID)
        #expect(signed?.expiresDate == payload.expiresDate)
        #expect(signed?.type == .autoRenewable)
        #expect(try signed?.json() == payload.json())
        #expect(try signed?.signedJSON == payload.json())
    }

    // MARK: Structure

    @Test(
        "What is no compact JWS is malformed",
        arguments: [
            "", ".", "..", "...", "a.b", "a.b.c", "e30.e30", "e30.e30.", "e30.e30.AA.AA", "\u{0}.\u{0}.\u{0}", "é.é.é",
        ])
    func noJWS(text: String) throws {
        let (step, reason) = try refusal(text)

        #expect(step == .structure)
        #expect(reason == .malformed || text == "e30.e30." && reason == .unsupportedAlgorithm)
    }

    @Test("White space around a JWS does not belong to it", arguments: [" ", "\n"])
    func whiteSpace(space: String) throws {
        let text = try authority.signTransaction(payload)

        #expect(try refusal(space + text).reason == .malformed)
        #expect(try refusal(text + space).reason == .malformed)
    }

    @Test("A text longer than the limit is not looked at")
    func tooLong() throws {
        var payload = payload
        payload.offerIdentifier = String(repeating: "x", count: 64 * 1024)

        #expect(try refusal(authority.signTransaction(payload)) == (.structure, .malformed))
    }

    @Test(
        "Headers that ask for something else are refused even if the signature is right",
        arguments: [
            (#""alg":"none","#, .unsupportedAlgorithm), (#""alg":"HS256","#, .unsupportedAlgorithm),
            (#""alg":"ES384","#, .unsupportedAlgorithm), (#""alg":"es256","#, .unsupportedAlgorithm),
            (#""alg":1,"#, .malformed), ("", .unsupportedAlgorithm), (#""alg":"ES256","crit":["b64"],"#, .malformed),
            (#""alg":"ES256","crit":[],"#, .malformed), (#""alg":"ES256","alg":"ES256","#, .malformed),
            (#""alg":"ES256","\u0061lg":"none","#, .malformed),
        ] as [(String, RefusalReason)])
    func headers(fields: String, reason: RefusalReason) throws {
        let certificates = try x5c([authority.leaf, authority.intermediate, authority.root])

        #expect(
            try refusal(authority.sign(payload.json(), header: "{\(fields)\(certificates)}")) == (.structure, reason))
    }

    @Test("A header with something unknown in it is accepted")
    func unknownHeader() throws {
        let certificates = try x5c([authority.leaf, authority.intermediate, authority.root])
        let header = #"{"kid":"1","typ":"JWT","alg":"ES256","x":{"y":[null]},\#(certificates)}"#

        #expect(try verify(authority.sign(payload.json(), header: header)) != nil)
    }

    @Test(
        "Without usable certificates there is nothing to check",
        arguments: [
            ("", .missingCertificates), (#","x5c":[]"#, .missingCertificates), (#","x5c":null"#, .missingCertificates),
            (#","x5c":"MIIB""#, .malformed), (#","x5c":[1,2,3]"#, .malformed), (#","x5c":["","",""]"#, .badCertificate),
            (#","x5c":["AAAA","AAAA","AAAA"]"#, .badCertificate), (#","x5c":["MIIB"]"#, .chainLength),
            (#","x5c":["!","!","!"]"#, .badCertificate),
        ] as [(String, RefusalReason)])
    func noCertificates(field: String, reason: RefusalReason) throws {
        let header = #"{"alg":"ES256"\#(field)}"#

        #expect(try refusal(authority.sign(payload.json(), header: header)) == (.structure, reason))
    }

    @Test("Chains of two and of four are refused for their length")
    func chainLength() throws {
        let (leaf, intermediate, root) = (authority.leaf, authority.intermediate, authority.root)

        for certificates in [[leaf, intermediate], [leaf, intermediate, root, root]] {
            let text = try authority.sign(payload.json(), header: TestAuthority.header(certificates: certificates))
            #expect(try refusal(text) == (.structure, .chainLength))
        }
    }

    @Test(
        "Payloads that are not what they should be are malformed, though they are signed",
        arguments: [
            "", "[]", "{", "{}", #"{"signedDate":"1700000000000"}"#, #"{"signedDate":null}"#, #"{"signedDate":-1}"#,
            #"{"signedDate":1e300}"#, #"{"signedDate":1e999}"#, #"{"signedDate":1,"signedDate":1}"#,
            #"{"signedDate":1700000000000,"transactionId":7}"#, #"{"signedDate":1700000000000,"quantity":1.5}"#,
            #"{"signedDate":1700000000000,"isUpgraded":0}"#, #"{"signedDate":1700000000000,"productId":"\u0000"}"#,
            #"{"signedDate":1700000000000,"expiresDate":253402300800000}"#,
            #"{"signedDate":1700000000000,"x":"# + String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
                + "}",
        ])
    func payloads(json: String) throws {
        #expect(try refusal(authority.sign(Array(json.utf8))) == (.structure, .malformed))
    }

    @Test("Fields that are not known are kept")
    func unknownFields() throws {
        let json = #"{"signedDate":1700000000000,"bundleId":"com.example.app","tomorrow":{"a":[1.50]}}"#

        #expect(try verify(authority.sign(Array(json.utf8)))?.signedJSON == Array(json.utf8))
    }

    @Test("Milliseconds may have a fraction, and prices too")
    func fractions() throws {
        let json = #"{"signedDate":1697679936056.485,"bundleId":"com.example.app","price":4.99,"quantity":2.0}"#

        let signed = try #require(try verify(authority.sign(Array(json.utf8))))

        #expect(abs(signed.signedDate.timeIntervalSince1970 - 1_697_679_936.056485) < 0.000_001)
        #expect(signed.price == nil)
        #expect(signed.quantity == 2)
    }

    // MARK: Chain

    @Test("A look-alike authority is not trusted, not even with the trusted root in its chain")
    func lookAlike() throws {
        let other = try TestAuthority.make()
        let header = TestAuthority.header(certificates: [other.leaf, other.intermediate, authority.root])

        #expect(try refusal(other.signTransaction(payload)) == (.chain, .untrustedChain))
        #expect(try refusal(other.sign(payload.json(), header: header)) == (.chain, .untrustedChain))
    }

    @Test("The third certificate is not compared with the root")
    func thirdCertificate() throws {
        let certificates = [authority.leaf, authority.intermediate, try TestAuthority.make().root]

        #expect(
            try verify(authority.sign(payload.json(), header: TestAuthority.header(certificates: certificates))) != nil)
    }

    @Test("Certificates in another order do not make a chain")
    func order() throws {
        let header = TestAuthority.header(certificates: [authority.leaf, authority.root, authority.intermediate])

        #expect(try refusal(authority.sign(payload.json(), header: header)) == (.chain, .untrustedChain))
    }

    @Test("A signer directly below the root is refused")
    func shortPath() throws {
        let roots = TrustRoots([authority.intermediate, authority.root], areTest: true)
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: roots)
        let short = TransactionVerifier(
            bundleID: "com.example.app", roots: TrustRoots([authority.intermediate], areTest: true))
        let text = Array(try authority.signTransaction(payload).utf8)

        #expect(isVerified(try verifier.verify(text, at: Self.now).verdict))
        #expect(reason(try short.verify(text, at: Self.now).verdict) == .untrustedChain)
    }

    @Test("An intermediate that may not sign certificates is not trusted")
    func noAuthority() throws {
        #expect(try refusal(byDesign: { $0.intermediateIsAuthority = false }) == (.chain, .untrustedChain))
    }

    @Test("Both markers are needed, and each in its place")
    func markers() throws {
        let (leaf, intermediate) = (["1.2.840.113635.100.6.11.1"], ["1.2.840.113635.100.6.2.1"])

        #expect(try refusal(byDesign: { $0.leafMarkers = [] }) == (.chain, .wrongPurpose))
        #expect(try refusal(byDesign: { $0.intermediateMarkers = [] }) == (.chain, .wrongPurpose))
        #expect(
            try refusal(byDesign: { ($0.leafMarkers, $0.intermediateMarkers) = (intermediate, leaf) })
                == (.chain, .wrongPurpose))
    }

    @Test("Certificates have to be valid when it was signed, whatever the time is now")
    func validity() throws {
        let day: TimeInterval = 86_400
        let before = Self.now - 10 * day...Self.now - day
        let around = Self.now - day...Self.now + day

        #expect(try refusal(byDesign: { $0.leafValidity = before }) == (.chain, .certificateExpired))
        #expect(try refusal(byDesign: { $0.intermediateValidity = before }) == (.chain, .certificateExpired))
        #expect(
            try refusal(byDesign: { $0.validity = Self.now + day...Self.now + 2 * day }) == (
                .chain, .certificateExpired
            ))
        let authority = try TestAuthority.make(design { $0.leafValidity = around })
        #expect(
            try verify(authority.signTransaction(payload), roots: authority.trustRoots, now: Self.now + 365 * day)
                != nil)
    }

    // MARK: Signature

    @Test("A signature in DER is none")
    func derSignature() throws {
        let key = try PrivateKey.generate()
        let (authority, text) = try authorityAndInput(signerKey: key)

        let der = "\(text).\(Base64.url.encode(try key.signature(over: text.utf8)))"
        let raw = "\(text).\(Base64.url.encode(try key.rawSignature(over: text.utf8)))"

        #expect(try refusal(der, roots: authority) == (.signature, .badSignature))
        #expect(try verify(raw, roots: authority) != nil)
    }

    @Test("A signature of another length, of zeros, or of another text is bad")
    func badSignatures() throws {
        let text = try authority.signTransaction(payload)
        let input = text[..<(try #require(text.lastIndex(of: ".")))]

        for bytes in [[], [1], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 1, count: 65)] as [[UInt8]] {
            #expect(try refusal("\(input).\(Base64.url.encode(bytes))") == (.signature, .badSignature))
        }
        let other = try authority.sign(Array("{}".utf8)).split(separator: ".")[2]
        #expect(try refusal("\(input).\(other)") == (.signature, .badSignature))
    }

    // MARK: Metadata

    @Test(
        "A transaction for another app is refused, by the letter",
        arguments: ["com.example.ap", "com.example.App", "com.example.app.pro", ""])
    func wrongApp(bundleID: String) throws {
        let verifier = TransactionVerifier(bundleID: bundleID, roots: authority.trustRoots)
        let text = Array(try authority.signTransaction(payload).utf8)

        #expect(reason(try verifier.verify(text, at: Self.now).verdict) == .wrongApp)
    }

    @Test("A transaction that names no app is for none")
    func noApp() throws {
        #expect(try refusal(authority.sign(Array(#"{"signedDate":1700000000000}"#.utf8))) == (.metadata, .wrongApp))
    }

    @Test("Only accepted environments pass, and none that is not told")
    func environments() throws {
        let text = Array(try authority.signTransaction(payload).utf8)
        let untold = Array(try authority.sign(Array(#"{"signedDate":1,"bundleId":"com.example.app"}"#.utf8)).utf8)
        func verifier(_ environments: Set<AppleEnvironment>?) -> TransactionVerifier {
            TransactionVerifier(bundleID: "com.example.app", environments: environments, roots: authority.trustRoots)
        }

        #expect(isVerified(try verifier([.sandbox, .production]).verify(text, at: Self.now).verdict))
        #expect(reason(try verifier([.production]).verify(text, at: Self.now).verdict) == .wrongEnvironment)
        #expect(reason(try verifier([]).verify(text, at: Self.now).verdict) == .wrongEnvironment)
        // 1970 is before the certificates.
        #expect(reason(try verifier([.sandbox]).verify(untold, at: Self.now).verdict) == .certificateExpired)
    }

    @Test("What does not tell its environment passes only where any does")
    func unknownEnvironment() throws {
        var payload = payload
        payload.environment = nil
        let text = Array(try authority.signTransaction(payload).utf8)
        let any = TransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
        let some = TransactionVerifier(
            bundleID: "com.example.app", environments: [.sandbox], roots: authority.trustRoots)

        #expect(isVerified(try any.verify(text, at: Self.now).verdict))
        #expect(reason(try some.verify(text, at: Self.now).verdict) == .wrongEnvironment)
    }

    @Test(
        "What was signed ahead of our clock is worth another try; a minute is forgiven",
        arguments: [(60, false), (61, true)])
    func future(seconds: TimeInterval, isRetryable: Bool) throws {
        let text = Array(try authority.signTransaction(payload).utf8)
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
        let other = TransactionVerifier(bundleID: "com.example.other", roots: authority.trustRoots)

        let verdict = try verifier.verify(text, at: Self.now - seconds).verdict

        if case .retryable(let reason) = verdict {
            #expect(isRetryable && reason == .signedInFuture)
        } else {
            #expect(!isRetryable && isVerified(verdict))
        }
        #expect(reason(try other.verify(text, at: Self.now - seconds).verdict) == .wrongApp)
    }

    @Test("Renewal information passes the same steps, and names no app")
    func renewal() throws {
        var store = SimulatedStore(bundleID: "com.example.app")
        let renewal = try #require(store.buy(.subscription("pro"), at: Self.now).renewal)
        let verifier = RenewalVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
        let text = Array(try authority.signRenewal(renewal).utf8)

        guard case .verified(let signed) = try verifier.verify(text, at: Self.now).verdict else {
            Issue.record("not verified")
            return
        }

        #expect(signed.autoRenewStatus == 1)
        #expect(signed.renewalDate == renewal.renewalDate)
        #expect(try signed.json() == renewal.json())
    }

    // MARK: What the tests are made of

    func verify(_ text: String, roots: TrustRoots? = nil, now: Date = now) throws -> TransactionPayload? {
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: roots ?? authority.trustRoots)
        if case .verified(let payload) = try verifier.verify(Array(text.utf8), at: now).verdict { return payload }
        return nil
    }

    func refusal(_ text: String, roots: TrustRoots? = nil) throws -> (step: VerificationStep?, reason: RefusalReason?) {
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: roots ?? authority.trustRoots)
        if case .refused(let step, let reason, _) = try verifier.verify(Array(text.utf8), at: Self.now).verdict {
            return (step, reason)
        }
        return (nil, nil)
    }

    func refusal(
        byDesign change: (inout TestAuthority.Design) -> Void
    ) throws -> (step: VerificationStep?, reason: RefusalReason?) {
        let authority = try TestAuthority.make(design(change))
        return try refusal(authority.signTransaction(payload), roots: authority.trustRoots)
    }

    func design(_ change: (inout TestAuthority.Design) -> Void) -> TestAuthority.Design {
        var design = TestAuthority.Design()
        change(&design)
        return design
    }

    func reason(_ verdict: Verdict<TransactionPayload>) -> RefusalReason? {
        if case .refused(_, let reason, _) = verdict { reason } else { nil }
    }

    func isVerified(_ verdict: Verdict<TransactionPayload>) -> Bool {
        if case .verified = verdict { true } else { false }
    }

    func x5c(_ certificates: [Certificate]) throws -> String {
        "\"x5c\":[\(certificates.map { "\"\(Base64.standard.encode($0.der))\"" }.joined(separator: ","))]"
    }

    /// A signer whose key is at hand, and something for him to sign.
    func authorityAndInput(signerKey: PrivateKey) throws -> (roots: TrustRoots, input: String) {
        let validity = Self.now - 1000...Self.now + 1000
        let (rootKey, intermediateKey) = (try PrivateKey.generate(), try PrivateKey.generate())
        var builder = CertificateBuilder(commonName: "Root", validity: validity)
        builder.isAuthority = true
        let root = try builder.selfSigned(by: rootKey)
        builder.commonName = "Intermediate"
        builder.markers = ["1.2.840.113635.100.6.2.1"]
        let intermediate = try builder.certificate(for: intermediateKey.publicKey, signedBy: rootKey, of: root)
        var leafBuilder = CertificateBuilder(commonName: "Signer", validity: validity)
        leafBuilder.markers = ["1.2.840.113635.100.6.11.1"]
        let leaf = try leafBuilder.certificate(for: signerKey.publicKey, signedBy: intermediateKey, of: intermediate)
        let header = TestAuthority.header(certificates: [leaf, intermediate, root])
        let input = "\(Base64.url.encode(header.utf8)).\(Base64.url.encode(try payload.json()))"
        return (TrustRoots([root], areTest: true), input)
    }
}
