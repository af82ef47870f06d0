public import Crypto
public import FoundationEssentials
public import StoreArtifacts

/// A store's signing authority of our own: root, intermediate and signer with Apple's markers, all new.
///
/// For tests, demos and load. An app believes it only if this root is set as the app's test root. That one root is
/// above everything that stores sign with certificates: see ``receiptSigner``, ``deviceAuthority`` and
/// ``attestationReceiptSigner``, which are made when they are first needed.
public struct TestAuthority: Sendable {
    /// What the certificates look like; unless something is changed, as Apple's do.
    public struct Design: Sendable {
        /// Comes first in all names.
        public var name = "Tollgate Test"
        /// Of the root, and of the others unless they have their own.
        public var validity = Date(timeIntervalSince1970: 1_262_304_000)...Date(timeIntervalSince1970: 2_524_607_999)
        /// Of the intermediate.
        public var intermediateValidity: ClosedRange<Date>?
        /// Of those who sign purchases and receipts.
        public var leafValidity: ClosedRange<Date>?
        /// Marker extensions of the intermediate.
        public var intermediateMarkers = [AppleMarker.developerRelations]
        /// Marker extensions of those who sign purchases and receipts.
        public var leafMarkers = [AppleMarker.receiptSigning]
        /// Marker extensions of who signs the receipts of App Attest.
        public var attestationReceiptMarkers = ["1.2.840.113635.100.12.15"]
        /// Whether the intermediate may sign certificates. It does in any case.
        public var intermediateIsAuthority = true

        /// As Apple's, valid from 2010 to 2049.
        public init() {}
    }

    /// The root, to be trusted by whoever wants to believe this authority.
    public var root: Certificate { rootSigner.certificate }
    /// Signed by the root.
    public var intermediate: Certificate { intermediateSigner.certificate }
    /// Signed by the intermediate; its key signs purchases.
    public var leaf: Certificate { leafSigner.certificate }

    /// The root with its key: signs any other chain.
    public let rootSigner: Signer
    /// The intermediate with its key.
    public let intermediateSigner: Signer
    /// Who signs transactions, renewal information, notifications.
    public let leafSigner: Signer
    /// The header of everything that is signed: encoding it again each time would cost more than the signature.
    let encodedHeader: String
    let parts: AuthorityParts

    /// Makes three keys and their certificates.
    public static func make(_ design: Design = Design()) throws -> TestAuthority {
        var rootBuilder = CertificateBuilder(commonName: "\(design.name) Root", validity: design.validity)
        rootBuilder.isAuthority = true
        let root = try Signer(selfSigned: rootBuilder, key: try PrivateKey.generate())

        var intermediateBuilder = CertificateBuilder(
            commonName: "\(design.name) Intermediate", validity: design.intermediateValidity ?? design.validity)
        intermediateBuilder.isAuthority = design.intermediateIsAuthority
        intermediateBuilder.pathLength = design.intermediateIsAuthority ? 0 : nil
        intermediateBuilder.markers = design.intermediateMarkers
        let intermediate = try root.issue(intermediateBuilder, for: try PrivateKey.generate())

        var leafBuilder = CertificateBuilder(
            commonName: "\(design.name) Signer", validity: design.leafValidity ?? design.validity)
        leafBuilder.markers = design.leafMarkers
        let leaf = try intermediate.issue(leafBuilder, for: try PrivateKey.generate())
        return TestAuthority(root: root, intermediate: intermediate, leaf: leaf, parts: AuthorityParts(design))
    }

    init(root: Signer, intermediate: Signer, leaf: Signer, parts: AuthorityParts) {
        self.rootSigner = root
        self.intermediateSigner = intermediate
        self.leafSigner = leaf
        self.encodedHeader = Base64.url.encode(Self.header(certificates: leaf.chain).utf8)
        self.parts = parts
    }

    /// Its root as text, to be set as an app's test root.
    public var rootPEM: String { root.pem }

    /// Its root as a verifier wants it, marked as a test.
    public var trustRoots: TrustRoots { TrustRoots([root], areTest: true) }
}
