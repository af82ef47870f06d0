/// SubjectPublicKeyInfo of a key of P-256 (RFC 5480 § 2), read without looking at the rest: OpenSSL would take longer than
/// for a signature.
enum P256KeyInfo {
    /// The point as X9.63 has it; `nil` if that is no such key. Whether it is on the curve is not looked at.
    static func point(in keyInfo: ArraySlice<UInt8>) -> [UInt8]? {
        guard keyInfo.count == start.count + 64, keyInfo.starts(with: start) else { return nil }
        return Array(keyInfo.suffix(65))
    }

    /// The point that a certificate is for; `nil` if it is not one of P-256, or if that is no certificate in DER.
    static func point(inCertificate der: [UInt8]) -> [UInt8]? {
        guard let outline = try? CertificateOutline(in: DERReader(der)) else { return nil }
        return point(in: der[outline.key.range])
    }

    /// What stands before the point, with the byte that makes it a whole one.
    private static let start: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
}
