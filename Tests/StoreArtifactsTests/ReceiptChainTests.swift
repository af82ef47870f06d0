import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Who may sign receipts")
struct ReceiptChainTests {
    static let environments = [
        "Production", "ProductionSandbox", "Sandbox", "Xcode", "LocalTesting", "ProductionVPP", "?",
    ]
    static let validity = ReceiptSample.now - 1000...ReceiptSample.now + 1000
    /// RSA keys are expensive; whose it is makes no difference here.
    private static let key = Result { try PrivateKey.generate(.rsa2048) }

    let sample: ReceiptSample

    init() throws { sample = try ReceiptSample() }

    func builder(_ name: String, markers: [String] = [], isAuthority: Bool = false) -> CertificateBuilder {
        var builder = CertificateBuilder(
            commonName: name, validity: sample.authority.root.notBefore...Self.validity.upperBound)
        builder.markers = markers
        builder.isAuthority = isAuthority
        return builder
    }

    func leaf(below issuer: Signer, markers: [String] = [AppleMarker.receiptSigning]) throws -> Signer {
        try issuer.issue(builder("Leaf", markers: markers), for: try Self.key.get())
    }

    func intermediate(
        below issuer: Signer, markers: [String] = [AppleMarker.developerRelations], isAuthority: Bool = true
    ) throws -> Signer {
        try issuer.issue(
            builder("Intermediate", markers: markers, isAuthority: isAuthority), for: PrivateKey.generate())
    }

    /// The same answer for whatever environment the receipt claims: that is a word of who made it.
    func expect(
        _ expected: String, signedBy signer: Signer, verifier: ReceiptVerifier? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for environment in Self.environments {
            let payload = ReceiptSample.design { $0.environment = environment }.payload
            let bytes = try SignedDataDesign(payload, signedBy: signer).encoded()
            let verdict = try (verifier ?? sample.verifier).verify(bytes, at: ReceiptSample.now).verdict
            #expect(verdict.words == expected, "\(environment): \(verdict.message)", sourceLocation: sourceLocation)
        }
    }

    @Test("Apple's chain is accepted, whatever the environment is called")
    func genuine() throws {
        try expect("verified", signedBy: leaf(below: try intermediate(below: sample.authority.rootSigner)))
    }

    @Test("Both markers have to be there")
    func markers() throws {
        let root = sample.authority.rootSigner
        let unmarked = try intermediate(below: root, markers: [])

        try expect("chain wrong_purpose", signedBy: leaf(below: intermediate(below: root), markers: []))
        try expect(
            "chain wrong_purpose",
            signedBy: leaf(below: intermediate(below: root), markers: [AppleMarker.developerRelations]))
        try expect("chain wrong_purpose", signedBy: leaf(below: unmarked))
        try expect(
            "verified", signedBy: leaf(below: unmarked),
            verifier: ReceiptVerifier(roots: sample.roots, demandsIntermediateMarker: false))
        try expect(
            "chain wrong_purpose", signedBy: leaf(below: unmarked),
            verifier: ReceiptVerifier(
                roots: TrustRoots([sample.authority.root], areTest: false), demandsIntermediateMarker: false))
    }

    @Test("A path of two and one of four are refused")
    func lengths() throws {
        let root = sample.authority.rootSigner
        let between = try root.issue(builder("Between", isAuthority: true), for: PrivateKey.generate())

        try expect("chain untrusted_chain", signedBy: leaf(below: root))
        try expect("chain untrusted_chain", signedBy: leaf(below: intermediate(below: between)))
        try expect(
            "chain untrusted_chain",
            signedBy: leaf(
                below: intermediate(below: root).issue(
                    builder("More", markers: [AppleMarker.developerRelations], isAuthority: true),
                    for: PrivateKey.generate())))
    }

    @Test("Whoever may not sign certificates has signed none")
    func noAuthority() throws {
        try expect(
            "chain untrusted_chain",
            signedBy: leaf(below: intermediate(below: sample.authority.rootSigner, isAuthority: false)))
        // A receipt's own signer as another's issuer.
        try expect(
            "chain untrusted_chain",
            signedBy: leaf(below: leaf(below: sample.authority.rootSigner, markers: [AppleMarker.developerRelations])))
    }

    @Test("The same names with other keys are a stranger's, in whatever place they come")
    func lookAlikes() throws {
        var rootBuilder = CertificateBuilder(
            commonName: "Tollgate Test Root", validity: sample.authority.root.notBefore...sample.authority.root.notAfter
        )
        rootBuilder.isAuthority = true
        let fake = try Signer(selfSigned: rootBuilder, key: PrivateKey.generate())
        #expect(fake.certificate.subject == sample.authority.root.subject)
        let signer = try leaf(below: intermediate(below: fake))

        try expect("chain untrusted_chain", signedBy: signer)
        try expect(
            "chain untrusted_chain",
            signedBy: Signer(key: signer.key, chain: signer.chain + [sample.authority.root]))
        // A key of one's own in a certificate that copies the names of the genuine signer's.
        try expect(
            "chain untrusted_chain",
            signedBy: Signer(
                key: signer.key, chain: [signer.certificate] + sample.signer.chain.dropFirst()))
    }

    @Test("Somebody else's genuine certificates do not make a signature")
    func borrowed() throws {
        let thief = Signer(key: try Self.key.get(), chain: sample.signer.chain)

        try expect("signature bad_signature", signedBy: thief)
    }

    @Test("Certificates come in any order, with others among them, with or without the root")
    func order() throws {
        let stranger = try Signer(selfSigned: builder("Stranger"), key: PrivateKey.generate()).certificate
        let (leaf, intermediate, root) = (
            sample.signer.certificate, sample.authority.intermediate, sample.authority.root
        )
        let orders = [
            [leaf, intermediate, root], [root, intermediate, leaf], [intermediate, leaf], [leaf, intermediate],
            [stranger, root, leaf, stranger, intermediate], [leaf, leaf, intermediate, intermediate],
            [sample.authority.leaf, leaf, intermediate],
        ]
        for certificates in orders {
            let bytes = try sample.contained { $0.certificates = certificates }
            #expect(try sample.verdict(bytes).words == "verified", "\(certificates.map(\.subject))")
        }
    }

    @Test("A missing intermediate is completed from those that are at hand, and only if it fits")
    func completion() throws {
        let bytes = try sample.contained { [signer = sample.signer] in $0.certificates = [signer.certificate] }
        let other = try intermediate(below: sample.authority.rootSigner).certificate
        func verdict(_ intermediates: [Certificate]) throws -> String {
            let roots = TrustRoots([sample.authority.root], intermediates: intermediates, areTest: true)
            return try ReceiptVerifier(roots: roots).verify(bytes, at: ReceiptSample.now).verdict.words
        }

        #expect(try verdict([]) == "chain untrusted_chain")
        #expect(try verdict([other]) == "chain untrusted_chain")
        #expect(try verdict([other, sample.authority.intermediate]) == "verified")
    }

    @Test("A receipt without its signer's certificate, or without any, is refused")
    func noSigner() throws {
        for certificates in [[], [sample.authority.intermediate, sample.authority.root]] {
            let bytes = try sample.contained { $0.certificates = certificates }
            #expect(try sample.verdict(bytes).words == "structure bad_signature")
        }
    }

    @Test("More certificates than anybody sends are refused")
    func tooMany() throws {
        let bytes = try sample.contained { [root = sample.authority.root] in
            $0.certificates += [Certificate](repeating: root, count: 20)
        }

        #expect(try sample.verdict(bytes).words == "structure malformed")
    }

    @Test("The date of creation decides: not whether the certificates are still valid, but whether they were")
    func validity() throws {
        var signerBuilder = builder("Leaf", markers: [AppleMarker.receiptSigning])
        signerBuilder.validity = Self.validity
        let signer = try intermediate(below: sample.authority.rootSigner).issue(signerBuilder, for: Self.key.get())
        let (start, end) = (Self.validity.lowerBound, Self.validity.upperBound)
        func verdict(createdAt date: Date, certificateDate: Date? = nil) throws -> String {
            let payload = ReceiptDesign(bundleID: ReceiptSample.bundleID, createdAt: date).payload
            return try sample.verifier.verify(
                try SignedDataDesign(payload, signedBy: signer).encoded(), at: .distantFuture,
                certificateDate: certificateDate
            ).verdict.words
        }

        #expect(try verdict(createdAt: start) == "verified")
        #expect(try verdict(createdAt: end - 1) == "verified")
        #expect(try verdict(createdAt: start - 1) == "chain cert_expired")
        #expect(try verdict(createdAt: end + 1) == "chain cert_expired")
        #expect(try verdict(createdAt: start, certificateDate: end + 1) == "chain cert_expired")
        #expect(try verdict(createdAt: end + 1, certificateDate: start) == "verified")
    }

    @Test("Certificates over SHA-1, as Apple's of before 2023, are accepted")
    func sha1() throws {
        var intermediateBuilder = builder("Old", markers: [AppleMarker.developerRelations], isAuthority: true)
        intermediateBuilder.digest = .sha1
        var leafBuilder = builder("Old Signer", markers: [AppleMarker.receiptSigning])
        leafBuilder.digest = .sha1
        let signer = try sample.authority.rootSigner.issue(intermediateBuilder, for: PrivateKey.generate())
            .issue(leafBuilder, for: Self.key.get())

        try expect("verified", signedBy: signer)
    }

    @Test("A signer with a curve's key is accepted, with the signature that belongs to it")
    func curve() throws {
        let signer = try intermediate(below: sample.authority.rootSigner).issue(
            builder("Leaf", markers: [AppleMarker.receiptSigning]), for: PrivateKey.generate(.p384))

        try expect("verified", signedBy: signer)
    }

    @Test("What Xcode signed is accepted where that is allowed, as from Xcode and as nothing else")
    func xcode() throws {
        let xcode = try Signer(
            selfSigned: builder("StoreKit Testing in Xcode", isAuthority: true), key: Self.key.get())
        let other = try Signer(
            selfSigned: builder("StoreKit Testing in Xcode", isAuthority: true), key: PrivateKey.generate())
        func words(_ environment: String, _ roots: TrustRoots) throws -> String {
            let payload = ReceiptSample.design { $0.environment = environment }.payload
            let bytes = try SignedDataDesign(payload, signedBy: xcode).encoded()
            return try ReceiptVerifier(roots: roots).verify(bytes, at: ReceiptSample.now).verdict.words
        }

        try expect("chain untrusted_chain", signedBy: xcode)
        #expect(try words("Xcode", .storeKitTesting([xcode.certificate])) == "verified")
        #expect(try words("Xcode", .storeKitTesting([])) == "verified")
        #expect(try words("Xcode", .storeKitTesting([other.certificate])) == "chain untrusted_chain")
        for environment in Self.environments where environment != "Xcode" && environment != "LocalTesting" {
            #expect(
                try words(environment, .storeKitTesting([xcode.certificate])) == "environment wrong_environment",
                "\(environment)")
        }
        // Apple's own do not pass for Xcode's.
        try expect(
            "structure chain_length", signedBy: sample.signer,
            verifier: ReceiptVerifier(roots: .storeKitTesting([sample.signer.certificate])))
    }
}
