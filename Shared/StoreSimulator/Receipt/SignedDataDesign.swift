public import Crypto

/// A CMS SignedData (RFC 5652 § 5) to be made: right unless something is changed.
///
/// Receipts and the receipts of App Attest are such. Every fault that a verifier has to see can be asked for here, and
/// the signature then still covers what it should, so that each fault stands alone.
public struct SignedDataDesign: Sendable {
    /// How lengths are written.
    public enum Form: Sendable {
        /// As Apple's receipts.
        case definite
        /// As Xcode's receipts, and with segments of 1,000 bytes the receipts of App Attest.
        case indefinite(segment: Int)
    }

    /// What is signed; `nil`: not in it.
    public var content: [UInt8]?
    /// In the order in which they are written.
    public var certificates: [Certificate]
    /// One, unless that is what is wrong.
    public var signatures: [Signature]
    /// How lengths are written.
    public var form = Form.definite
    /// Of the SignedData.
    public var version = 1
    /// What it is: signedData.
    public var type = ObjectIdentifiers.signedData
    /// What is in it: data.
    public var contentType = ObjectIdentifiers.data

    /// Signed once, with all certificates of the signer.
    public init(_ content: [UInt8], signedBy signer: Signer, digest: Digest.Algorithm = .sha256) {
        self.content = content
        self.certificates = signer.chain
        self.signatures = [Signature(by: signer, digest: digest)]
    }

    /// The bytes.
    public func encoded() throws -> [UInt8] {
        let identifiers = Set(signatures.map(\.digestIdentifier)).sorted()
        let content =
            content.map { content in
                constructed(0xA0, octets(content))
            } ?? []
        let encapsulated = constructed(0x30, DERWriter.identifier(contentType) + content)
        let certificates = constructed(0xA0, DERWriter.joined(certificates.map(\.der)))
        let signatures = try signatures.map { try $0.encoded(over: self.content ?? [], contentType: contentType) }
        let body = constructed(
            0x30,
            DERWriter.integer(version)
                + DERWriter.set(of: identifiers.map { DERWriter.sequence(DERWriter.identifier($0), DERWriter.null) })
                + encapsulated + (self.certificates.isEmpty ? [] : certificates)
                // In the order asked for: it matters who comes first to those who look at one only.
                + DERWriter.set(of: signatures, isSorted: false))
        return constructed(0x30, DERWriter.identifier(type) + constructed(0xA0, body))
    }

    private func constructed(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch form {
        case .definite: DERWriter.element(tag, content)
        case .indefinite: DERWriter.indefinite(tag, content)
        }
    }

    private func octets(_ content: [UInt8]) -> [UInt8] {
        guard case .indefinite(let segment) = form else { return DERWriter.octets(content) }
        let segments = stride(from: 0, to: content.count, by: max(1, segment)).map { start in
            DERWriter.octets(Array(content[start..<min(start + max(1, segment), content.count)]))
        }
        return DERWriter.indefinite(0x24, DERWriter.joined(segments))
    }
}

/// Object identifiers of CMS and its algorithms, in dotted form.
public enum ObjectIdentifiers {
    /// Content of no particular kind.
    public static let data = "1.2.840.113549.1.7.1"
    /// What the whole is.
    public static let signedData = "1.2.840.113549.1.7.2"
    static let contentTypeAttribute = "1.2.840.113549.1.9.3"
    static let messageDigestAttribute = "1.2.840.113549.1.9.4"
    static let rsaEncryption = "1.2.840.113549.1.1.1"

    static func digest(_ digest: Digest.Algorithm) -> String {
        switch digest {
        case .sha1: "1.3.14.3.2.26"
        case .sha256: "2.16.840.1.101.3.4.2.1"
        case .sha384: "2.16.840.1.101.3.4.2.2"
        case .sha512: "2.16.840.1.101.3.4.2.3"
        }
    }

    /// Of a key and a digest together.
    static func signature(_ algorithm: PublicKey.Algorithm, _ digest: Digest.Algorithm) -> String {
        switch (algorithm == .rsa, digest) {
        case (true, .sha1): "1.2.840.113549.1.1.5"
        case (true, .sha256): "1.2.840.113549.1.1.11"
        case (true, .sha384): "1.2.840.113549.1.1.12"
        case (true, .sha512): "1.2.840.113549.1.1.13"
        case (false, .sha1): "1.2.840.10045.4.1"
        case (false, .sha256): "1.2.840.10045.4.3.2"
        case (false, .sha384): "1.2.840.10045.4.3.3"
        case (false, .sha512): "1.2.840.10045.4.3.4"
        }
    }
}
