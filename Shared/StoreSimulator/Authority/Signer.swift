public import Crypto

/// A certificate with its key: it signs what a store signs, or further certificates.
public struct Signer: Sendable {
    /// Its key.
    public let key: PrivateKey
    /// Its certificate first, the root last.
    public let chain: [Certificate]

    /// A signer at the end of a chain.
    ///
    /// - Parameter chain: Not empty; the first one is for `key`.
    public init(key: PrivateKey, chain: [Certificate]) {
        precondition(!chain.isEmpty, "a signer has a certificate")
        self.key = key
        self.chain = chain
    }

    /// A signer that nobody vouches for but he himself: a root, or what Xcode signs with.
    public init(selfSigned builder: CertificateBuilder, key: PrivateKey) throws {
        self.init(key: key, chain: [try builder.selfSigned(by: key)])
    }

    /// Its certificate.
    public var certificate: Certificate { chain[0] }

    /// Vouches for another key, whether it may or not.
    public func issue(_ builder: CertificateBuilder, for key: PrivateKey) throws -> Signer {
        let certificate = try builder.certificate(for: try key.publicKey, signedBy: self.key, of: self.certificate)
        return Signer(key: key, chain: [certificate] + chain)
    }
}
