internal import Crypto
internal import FoundationEssentials
internal import JSON

/// The certificate by which Apple vouches for a device's key.
struct DeviceCertificate {
    private static let nonceExtension = "1.2.840.113635.100.8.2"
    /// What Apple says about devices, systems and keys in these certificates, in extensions of its own.
    private static let extensionPrefix = "1.2.840.113635.100.8."

    let certificate: Certificate
    /// The key's point as X9.63 has it.
    let point: [UInt8]

    /// Reads the first of these; believes nothing.
    init(_ certificate: Certificate) throws(Shortfall) {
        guard let point = Self.point(in: certificate.der) else {
            throw Shortfall(.chain, .badCertificate, "the device's key is not P-256")
        }
        self.certificate = certificate
        self.point = point
    }

    /// The point that a certificate is for, read without looking at the rest; `nil` if it is not one of P-256, or if that
    /// is no certificate. OpenSSL would take longer than for the signature of a receipt.
    static func point(in der: [UInt8]) -> [UInt8]? {
        var reader = DERReader(der)
        guard var certificate = try? reader.enter(.sequence), var fields = try? certificate.enter(.sequence) else {
            return nil
        }
        // Version, serial number, signature, issuer, validity, subject (RFC 5280 § 4.1).
        let before: [DERTag] = [.context(0), .integer, .sequence, .sequence, .sequence, .sequence]
        for tag in before { guard (try? fields.next(tag)) != nil else { return nil } }
        guard let key = try? fields.next(.sequence) else { return nil }
        let bytes = der[key.range]
        guard bytes.count == p256Start.count + 64, bytes.starts(with: p256Start) else { return nil }
        return Array(bytes.suffix(65))
    }

    /// What stands before the point in the SubjectPublicKeyInfo of any P-256 key, with the byte that makes it a whole
    /// point (RFC 5480 § 2).
    private static let p256Start: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// What the key is called.
    var keyID: [UInt8] { Digest.sha256(point) }

    /// What Apple has certified together with the key: SHA-256 of authenticator data and client data's hash.
    func nonce() throws(Shortfall) -> [UInt8] {
        guard let value = certificate.value(ofExtension: Self.nonceExtension) else {
            throw Shortfall(.nonce, .badCertificate, "the device's certificate has no nonce")
        }
        do {
            // SEQUENCE { [1] { OCTET STRING } }
            var reader = DERReader(value)
            var sequence = try reader.enter(.sequence)
            try reader.finish()
            var tagged = try sequence.inside(try sequence.next())
            try sequence.finish()
            let octets = try tagged.octets()
            try tagged.finish()
            return Array(value[octets])
        } catch {
            throw Shortfall(.nonce, .badCertificate, "the nonce in the device's certificate \(error)")
        }
    }

    /// What else it says, by object identifier. Not documented by Apple: kept as it is, without a judgement.
    var remarks: [String: JSONValue] {
        var remarks: [String: JSONValue] = [:]
        for identifier in certificate.extensionIdentifiers
        where identifier.hasPrefix(Self.extensionPrefix) && identifier != Self.nonceExtension {
            guard let value = certificate.value(ofExtension: identifier) else { continue }
            remarks[identifier] = DeviceRemarks.json(value)
        }
        return remarks
    }
}
