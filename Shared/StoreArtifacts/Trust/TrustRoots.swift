public import Crypto

/// Whose signatures count.
public struct TrustRoots: Sendable {
    /// How the signer is tied to the roots.
    enum Rule: UInt8, Sendable {
        /// Root, intermediate and leaf with Apple's markers.
        case appleChain
        /// One self-signed certificate, as Xcode makes it.
        case selfSigned
    }

    /// The trusted certificates.
    public let certificates: [Certificate]
    /// What they vouch for is a test: it never counts as a purchase.
    public let areTest: Bool
    let rule: Rule
    /// Equal for equal roots under equal rules: a verdict under one set says nothing about another.
    let identity: [UInt8]

    /// Roots of one's own choice. What is signed below them has to look as if Apple had signed it.
    ///
    /// - Parameter areTest: `false` only for roots whose keys are Apple's.
    public init(_ certificates: [Certificate], areTest: Bool) {
        self.init(certificates, areTest: areTest, rule: .appleChain)
    }

    private init(_ certificates: [Certificate], areTest: Bool, rule: Rule) {
        self.certificates = certificates
        self.areTest = areTest
        self.rule = rule
        let fingerprints = certificates.map(\.fingerprint).sorted { $0.lexicographicallyPrecedes($1) }
        self.identity = Digest.sha256([rule.rawValue] + fingerprints.joined())
    }

    /// Apple Root CA - G3, which comes with this module.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read it.
    public static func apple() throws(CryptoError) -> TrustRoots {
        let der = Base64.standard.decode(AppleRootCAG3.base64.utf8) ?? []
        return TrustRoots([try Certificate(der: der)], areTest: false)
    }

    /// Apple App Attestation Root CA, which comes with this module: for attestations. The receipts in them are signed
    /// below ``apple()``.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read it.
    public static func appleAppAttestation() throws(CryptoError) -> TrustRoots {
        let der = Base64.standard.decode(AppleAppAttestationRoot.base64.utf8) ?? []
        return TrustRoots([try Certificate(der: der)], areTest: false)
    }

    /// What Xcode signs for StoreKit testing: a single self-signed certificate, and no environment but Xcode's.
    ///
    /// - Parameter certificates: The certificates to accept, as exported from Xcode. With none, anybody's is: such a
    ///   transaction proves nothing but that its parts belong together.
    public static func storeKitTesting(_ certificates: [Certificate]) -> TrustRoots {
        TrustRoots(certificates, areTest: true, rule: .selfSigned)
    }
}
