internal import Crypto

/// What a signer has signed in place of the content (RFC 5652 § 5.4, § 11).
struct SignedAttributes: Sendable {
    /// What the signature is over: the attributes as a SET in DER, in the order in which they were sent.
    let signedBytes: [UInt8]
    private let messageDigest: [UInt8]

    /// Reads `[0]` of a signer. The attributes have to be in DER, which is what is signed, and say exactly once each
    /// what the content is and what its digest is.
    init(_ element: DERElement, of reader: DERReader) throws {
        let contents = Array(reader.bytes[element.contents])
        var attributes = DERReader(contents)
        var digests: [[UInt8]] = []
        var types: [[UInt8]] = []
        while !attributes.isAtEnd {
            var attribute = try attributes.enter(.sequence)
            let name = try attribute.objectIdentifier()
            var values = try attribute.enter(.set)
            try attribute.finish()
            if name.elementsEqual(ObjectIdentifier.messageDigest) {
                digests.append(Array(contents[try values.octets()]))
                try values.finish()
            } else if name.elementsEqual(ObjectIdentifier.contentType) {
                types.append(Array(try values.objectIdentifier()))
                try values.finish()
            }
        }
        guard element.isConstructed, let digest = digests.first, digests.count == 1,
            types == [ObjectIdentifier.data]
        else { throw Shortfall.malformed("the signed attributes do not say what has been signed") }
        messageDigest = digest
        signedBytes = [0x31] + Self.length(contents.count) + contents
    }

    /// Whether they speak of this content.
    func cover(_ content: [UInt8], digest: Digest.Algorithm) -> Bool {
        Digest.of(content, with: digest) == messageDigest
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let digits = withUnsafeBytes(of: count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [0x80 | UInt8(digits.count)] + digits
    }
}
