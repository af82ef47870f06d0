internal import Crypto

/// Object identifiers of containers and signatures, as the bytes that stand in DER (RFC 5652, RFC 8017, RFC 5758).
enum ObjectIdentifier {
    static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    static let contentType: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
    static let messageDigest: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04]

    /// Digests by themselves.
    static let digests: [[UInt8]: Digest.Algorithm] = [
        [0x2B, 0x0E, 0x03, 0x02, 0x1A]: .sha1,
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]: .sha256,
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]: .sha384,
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]: .sha512,
    ]

    /// Ways of signing: with which kind of key, and over which digest if the name says so.
    static let signatures: [[UInt8]: SignatureScheme] = [
        rsa(0x01): SignatureScheme(isRSA: true, digest: nil),
        rsa(0x05): SignatureScheme(isRSA: true, digest: .sha1),
        rsa(0x0B): SignatureScheme(isRSA: true, digest: .sha256),
        rsa(0x0C): SignatureScheme(isRSA: true, digest: .sha384),
        rsa(0x0D): SignatureScheme(isRSA: true, digest: .sha512),
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]: SignatureScheme(isRSA: false, digest: nil),
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x01]: SignatureScheme(isRSA: false, digest: .sha1),
        ecdsa(0x02): SignatureScheme(isRSA: false, digest: .sha256),
        ecdsa(0x03): SignatureScheme(isRSA: false, digest: .sha384),
        ecdsa(0x04): SignatureScheme(isRSA: false, digest: .sha512),
    ]

    /// Whatever Apple has named by itself, in dotted form.
    static let applePrefix = "1.2.840.113635.100."

    /// The dotted form of an identifier of Apple's, all numbers of which are below 128; `nil` for any other.
    static func dotted(apple encoded: ArraySlice<UInt8>) -> String? {
        let prefix: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64]
        return dotted(encoded, behind: prefix, as: applePrefix)
    }

    /// The dotted form of an extension of X.509; `nil` for anything else.
    static func dotted(certificateExtension encoded: ArraySlice<UInt8>) -> String? {
        encoded.count == 3 ? dotted(encoded, behind: [0x55, 0x1D], as: "2.5.29.") : nil
    }

    private static func dotted(_ encoded: ArraySlice<UInt8>, behind prefix: [UInt8], as dotted: String) -> String? {
        let rest = encoded.dropFirst(prefix.count)
        guard encoded.starts(with: prefix), !rest.isEmpty, rest.allSatisfy({ $0 < 0x80 }) else { return nil }
        return dotted + rest.map { String($0) }.joined(separator: ".")
    }

    private static func rsa(_ last: UInt8) -> [UInt8] { [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, last] }
    private static func ecdsa(_ last: UInt8) -> [UInt8] { [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, last] }
}

/// How something is signed.
struct SignatureScheme: Hashable, Sendable {
    let isRSA: Bool
    /// `nil` where another field says it.
    let digest: Digest.Algorithm?
}
