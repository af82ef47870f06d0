public import Crypto
public import FoundationEssentials
public import StoreArtifacts

/// A store's signing authority of our own: root, intermediate and signer with Apple's markers, all new.
///
/// For tests, demos and load. An app believes it only if this root is set as the app's test root.
public struct TestAuthority: Sendable {
    /// What the certificates look like; unless something is changed, as Apple's do.
    public struct Design: Sendable {
        /// Comes first in all three names.
        public var name = "Tollgate Test"
        /// Of the root, and of the other two unless they have their own.
        public var validity = Date(timeIntervalSince1970: 1_262_304_000)...Date(timeIntervalSince1970: 2_524_607_999)
        /// Of the intermediate.
        public var intermediateValidity: ClosedRange<Date>?
        /// Of the signer.
        public var leafValidity: ClosedRange<Date>?
        /// Marker extensions of the intermediate.
        public var intermediateMarkers = [AppleMarker.developerRelations]
        /// Marker extensions of the signer.
        public var leafMarkers = [AppleMarker.receiptSigning]
        /// Whether the intermediate may sign certificates. It does in any case.
        public var intermediateIsAuthority = true

        /// As Apple's, valid from 2010 to 2049.
        public init() {}
    }

    /// The root, to be trusted by whoever wants to believe this authority.
    public let root: Certificate
    /// Signed by the root.
    public let intermediate: Certificate
    /// Signed by the intermediate; its key signs purchases.
    public let leaf: Certificate
    let rootKey: PrivateKey
    let intermediateKey: PrivateKey
    let leafKey: PrivateKey
    /// The header of everything that is signed: encoding it again each time would cost more than the signature.
    let encodedHeader: String

    /// Makes three keys and their certificates.
    public static func make(_ design: Design = Design()) throws -> TestAuthority {
        let (rootKey, intermediateKey, leafKey) = (
            try PrivateKey.generate(), try PrivateKey.generate(), try PrivateKey.generate()
        )
        var rootBuilder = CertificateBuilder(commonName: "\(design.name) Root", validity: design.validity)
        rootBuilder.isAuthority = true
        let root = try rootBuilder.selfSigned(by: rootKey)

        var intermediateBuilder = CertificateBuilder(
            commonName: "\(design.name) Intermediate", validity: design.intermediateValidity ?? design.validity)
        intermediateBuilder.isAuthority = design.intermediateIsAuthority
        intermediateBuilder.pathLength = design.intermediateIsAuthority ? 0 : nil
        intermediateBuilder.markers = design.intermediateMarkers
        let intermediate = try intermediateBuilder.certificate(
            for: try intermediateKey.publicKey, signedBy: rootKey, of: root)

        var leafBuilder = CertificateBuilder(
            commonName: "\(design.name) Signer", validity: design.leafValidity ?? design.validity)
        leafBuilder.markers = design.leafMarkers
        let leaf = try leafBuilder.certificate(for: try leafKey.publicKey, signedBy: intermediateKey, of: intermediate)

        return TestAuthority(
            root: root, intermediate: intermediate, leaf: leaf, rootKey: rootKey, intermediateKey: intermediateKey,
            leafKey: leafKey)
    }

    init(
        root: Certificate, intermediate: Certificate, leaf: Certificate, rootKey: PrivateKey,
        intermediateKey: PrivateKey, leafKey: PrivateKey
    ) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
        self.leafKey = leafKey
        self.encodedHeader = Base64.url.encode(Self.header(certificates: [leaf, intermediate, root]).utf8)
    }

    /// Its root as text, to be set as an app's test root.
    public var rootPEM: String { root.pem }

    /// Its root as a verifier wants it, marked as a test.
    public var trustRoots: TrustRoots { TrustRoots([root], areTest: true) }
}
