internal import Crypto

/// Who signed a container and how, as he says (RFC 5652 § 5.3). Nothing is checked yet.
struct SignerInfo: Sendable {
    /// How the signer names his certificate.
    enum Identifier: Hashable, Sendable {
        /// The name of who issued it and its number, both as they stand in the certificate.
        case issuerAndSerial(issuer: ArraySlice<UInt8>, serial: ArraySlice<UInt8>)
        /// The identifier of its key.
        case keyIdentifier(ArraySlice<UInt8>)
    }

    let identifier: Identifier
    /// As it was sent.
    let encodedIdentifier: ArraySlice<UInt8>
    let digest: Digest.Algorithm
    let isRSA: Bool
    let signature: [UInt8]
    /// What is signed in place of the content, if anything is: attributes of which one has the digest of the content.
    let attributes: SignedAttributes?

    /// Reads the one element of `signerInfos`.
    init(_ reader: inout DERReader) throws {
        var fields = try reader.enter(.sequence)
        let version = try fields.integer()
        let identifier = try fields.next()
        encodedIdentifier = fields.bytes[identifier.range]
        switch (version, identifier.tag) {
        case (1, .sequence):
            var name = try fields.inside(identifier)
            let issuer = try name.next(.sequence)
            let serial = try name.next(.integer)
            try name.finish()
            self.identifier = .issuerAndSerial(
                issuer: fields.bytes[issuer.range], serial: fields.bytes[serial.contents])
        case (3, .context(0)): self.identifier = .keyIdentifier(fields.bytes[identifier.contents])
        default: throw Shortfall.malformed("the signer's version and the way in which he is named do not go together")
        }
        guard let digest = ObjectIdentifier.digests[try Self.algorithm(&fields)] else {
            throw Shortfall(.structure, .unsupportedAlgorithm, "the digest is none of SHA-1, -256, -384 and -512")
        }
        self.digest = digest
        attributes = try fields.nextIfPresent(.context(0)).map { try SignedAttributes($0, of: fields) }
        guard let scheme = ObjectIdentifier.signatures[try Self.algorithm(&fields)] else {
            throw Shortfall(.structure, .unsupportedAlgorithm, "the signature is neither RSA (PKCS #1 v1.5) nor ECDSA")
        }
        guard scheme.digest == nil || scheme.digest == digest else {
            throw Shortfall(.structure, .unsupportedAlgorithm, "the signature's digest is not the signer's")
        }
        isRSA = scheme.isRSA
        signature = try fields.joinedOctets(try fields.next(.octetString))
        // Attributes that nobody signed may follow; nothing hangs on them.
        _ = try fields.nextIfPresent(.context(1))
        try fields.finish()
    }

    /// AlgorithmIdentifier whose parameters are NULL or absent.
    private static func algorithm(_ fields: inout DERReader) throws(DERError) -> [UInt8] {
        var algorithm = try fields.enter(.sequence)
        let identifier = try algorithm.objectIdentifier()
        _ = try algorithm.nextIfPresent(.null)
        try algorithm.finish()
        return Array(identifier)
    }
}
