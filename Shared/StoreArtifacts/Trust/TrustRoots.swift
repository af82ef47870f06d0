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
    /// May complete a chain that comes without its middle; they are not trusted by themselves.
    let intermediates: [Certificate]
    /// What they vouch for is a test: it never counts as a purchase.
    public let areTest: Bool
    let rule: Rule
    /// Equal for equal roots under equal rules: a verdict under one set says nothing about another.
    let identity: [UInt8]

    /// Roots of one's own choice. What is signed below them has to look as if Apple had signed it.
    ///
    /// - Parameters:
    ///   - intermediates: May stand between a signer and a root where they did not come with him, as happens with
    ///     receipts of old. Not trusted by themselves.
    ///   - areTest: `false` only for roots whose keys are Apple's.
    public init(_ certificates: [Certificate], intermediates: [Certificate] = [], areTest: Bool) {
        self.init(certificates, intermediates: intermediates, areTest: areTest, rule: .appleChain)
    }

    private init(_ certificates: [Certificate], intermediates: [Certificate] = [], areTest: Bool, rule: Rule) {
        self.certificates = certificates
        self.intermediates = intermediates
        self.areTest = areTest
        self.rule = rule
        let parts = [certificates, intermediates].map { certificates in
            Digest.sha256(certificates.map(\.fingerprint).sorted { $0.lexicographicallyPrecedes($1) }.joined())
        }
        self.identity = Digest.sha256([rule.rawValue] + parts.joined())
    }

    /// Apple Root CA - G3, which comes with this module: for all that StoreKit 2 signs.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read it.
    public static func apple() throws(CryptoError) -> TrustRoots { try shipped(AppleRootCAG3.base64) }

    /// Apple Root CA, the first one, which comes with this module: for App Store receipts.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read it.
    public static func appleReceipts() throws(CryptoError) -> TrustRoots { try shipped(AppleIncRoot.base64) }

    /// Apple App Attestation Root CA, which comes with this module: for attestations. The receipts in them are signed
    /// below ``apple()``.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot read it.
    public static func appleAppAttestation() throws(CryptoError) -> TrustRoots {
        try shipped(AppleAppAttestationRoot.base64)
    }

    private static func shipped(_ base64: String) throws(CryptoError) -> TrustRoots {
        let der = Base64.standard.decode(base64.utf8) ?? []
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
