import Crypto
import Foundation
import Testing

@Suite("Certificate chains")
struct CertificateChainTests {
    static let validity = date(1_000_000_000)...date(2_000_000_000)
    static let now = date(1_500_000_000)

    let rootKey: PrivateKey
    let root: Certificate
    let intermediateKey: PrivateKey
    let leafKey: PublicKey

    init() throws {
        rootKey = try PrivateKey.generate()
        root = try Self.root("Root", signedBy: rootKey)
        intermediateKey = try PrivateKey.generate()
        leafKey = try PrivateKey.generate().publicKey
    }

    @Test("A leaf below an intermediate below a root is trusted, and the path is told")
    func trusted() throws {
        let intermediate = try intermediate()
        let leaf = try leaf(below: intermediate)

        let verdict = try verdict(leaf, [intermediate])

        #expect(path(verdict)?.map(\.der) == [leaf.der, intermediate.der, root.der])
    }

    @Test("Order and strangers among the intermediates do not matter")
    func strangers() throws {
        let intermediate = try intermediate()
        let stranger = try Self.root("Stranger", signedBy: try PrivateKey.generate())

        let verdict = try verdict(try leaf(below: intermediate), [stranger, intermediate, root])

        #expect(path(verdict)?.count == 3)
    }

    @Test("Without its intermediate a leaf is not trusted")
    func missingIntermediate() throws {
        #expect(refusal(try verdict(try leaf(below: try intermediate()), []))?.isOutsideValidity == false)
    }

    @Test("A root of the same name with another key is not trusted, even if the chain brings it along")
    func lookAlike() throws {
        let otherKey = try PrivateKey.generate()
        let lookAlike = try Self.root("Root", signedBy: otherKey)
        let intermediate = try intermediate(signedBy: otherKey, of: lookAlike)

        #expect(
            refusal(try verdict(try leaf(below: intermediate), [intermediate, lookAlike]))?.isOutsideValidity == false)
    }

    @Test("Without any root nothing is trusted, whatever the system trusts")
    func noRoots() throws {
        let intermediate = try intermediate()
        let chain = CertificateChain(leaf: try leaf(below: intermediate), intermediates: [intermediate, root])

        #expect(refusal(try chain.verdict(against: [], at: Self.now)) != nil)
    }

    @Test("An intermediate that is no authority is not trusted")
    func noAuthority() throws {
        let intermediate = try intermediate { $0.isAuthority = false }

        #expect(refusal(try verdict(try leaf(below: intermediate), [intermediate])) != nil)
    }

    @Test("A path longer than an authority allows is not trusted")
    func pathLength() throws {
        let first = try intermediate { $0.pathLength = 0 }
        let secondKey = try PrivateKey.generate()
        let second = try Self.builder("Second") { $0.isAuthority = true }
            .certificate(for: try secondKey.publicKey, signedBy: intermediateKey, of: first)
        let leaf = try Self.builder("Leaf").certificate(for: leafKey, signedBy: secondKey, of: second)

        #expect(refusal(try verdict(leaf, [first, second])) != nil)
    }

    @Test(
        "Validity is judged at the date that was asked about, in whole seconds and for every certificate",
        arguments: [
            (999_999_999.9, false), (1_000_000_000, true), (1_999_999_999.9, true), (2_000_000_000, false),
            (-1e30, false), (1e30, false), (.nan, false), (.infinity, false),
        ] as [(TimeInterval, Bool)])
    func validity(seconds: TimeInterval, expected: Bool) throws {
        let intermediate = try intermediate()
        let chain = CertificateChain(leaf: try leaf(below: intermediate), intermediates: [intermediate])

        let verdict = try chain.verdict(against: [root], at: date(seconds))

        #expect((path(verdict) != nil) == expected)
        #expect(refusal(verdict)?.isOutsideValidity != false)
    }

    @Test("An expired intermediate is as bad as an expired leaf")
    func expiredIntermediate() throws {
        let intermediate = try intermediate { $0.validity = date(1_000_000_000)...date(1_400_000_000) }

        #expect(refusal(try verdict(try leaf(below: intermediate), [intermediate]))?.isOutsideValidity == true)
    }

    @Test("A leaf whose signature is not its issuer's is not trusted")
    func badSignature() throws {
        let intermediate = try intermediate()
        var der = try leaf(below: intermediate).der
        der[der.count - 1] ^= 1

        #expect(refusal(try verdict(try Certificate(der: der), [intermediate]))?.isOutsideValidity == false)
    }

    // MARK: What the tests are made of

    static func builder(
        _ name: String, change: (inout CertificateBuilder) -> Void = { _ in }
    ) -> CertificateBuilder {
        var builder = CertificateBuilder(commonName: name, validity: validity)
        change(&builder)
        return builder
    }

    static func root(_ name: String, signedBy key: PrivateKey) throws -> Certificate {
        try builder(name) { $0.isAuthority = true }.selfSigned(by: key)
    }

    func intermediate(
        signedBy key: PrivateKey? = nil, of issuer: Certificate? = nil,
        change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Certificate {
        var builder = Self.builder("Intermediate") { $0.isAuthority = true }
        change(&builder)
        return try builder.certificate(
            for: try intermediateKey.publicKey, signedBy: key ?? rootKey, of: issuer ?? root)
    }

    func leaf(below intermediate: Certificate) throws -> Certificate {
        try Self.builder("Leaf").certificate(for: leafKey, signedBy: intermediateKey, of: intermediate)
    }

    func verdict(_ leaf: Certificate, _ intermediates: [Certificate]) throws -> CertificateChain.Verdict {
        try CertificateChain(leaf: leaf, intermediates: intermediates).verdict(against: [root], at: Self.now)
    }

    func path(_ verdict: CertificateChain.Verdict) -> [Certificate]? {
        if case .trusted(let path) = verdict { path } else { nil }
    }

    func refusal(_ verdict: CertificateChain.Verdict) -> CertificateChain.Refusal? {
        if case .refused(let refusal) = verdict { refusal } else { nil }
    }
}

private func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }
