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
        guard let key = try? certificate.publicKey, key.algorithm == .p256, let point = key.x963 else {
            throw Shortfall(.chain, .badCertificate, "the device's key is not P-256")
        }
        self.certificate = certificate
        self.point = point
    }

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
