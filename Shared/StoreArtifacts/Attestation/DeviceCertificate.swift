internal import Crypto
internal import FoundationEssentials
internal import JSON

/// The certificate by which Apple vouches for a device's key.
struct DeviceCertificate {
    private static let nonceExtension = "1.2.840.113635.100.8.2"
    /// What Apple says about devices, systems and keys in these certificates, in extensions of its own.
    private static let extensionPrefix = "1.2.840.113635.100.8."

    let notBefore: Date
    let notAfter: Date
    /// The key's point as X9.63 has it.
    let point: [UInt8]
    /// By object identifier; of equal ones the first.
    private let extensions: [String: [UInt8]]

    /// Reads any certificate for a key of P-256; believes nothing.
    init(_ certificate: Certificate) throws(Shortfall) {
        guard let point = P256KeyInfo.point(inCertificate: certificate.der) else {
            throw Shortfall(.chain, .badCertificate, "the device's key is not P-256")
        }
        let extensions = certificate.extensionIdentifiers.map { ($0, certificate.value(ofExtension: $0) ?? []) }
        self.notBefore = certificate.notBefore
        self.notAfter = certificate.notAfter
        self.point = point
        self.extensions = Dictionary(extensions) { first, _ in first }
    }

    init(_ certificate: PlainCertificate) {
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        point = certificate.point
        let extensions = certificate.extensions.map { ($0.identifier, Array($0.value)) }
        self.extensions = Dictionary(extensions) { first, _ in first }
    }

    /// What the key is called.
    var keyID: [UInt8] { Digest.sha256(point) }

    /// What Apple has certified together with the key: SHA-256 of authenticator data and client data's hash.
    func nonce() throws(Shortfall) -> [UInt8] {
        guard let value = extensions[Self.nonceExtension] else {
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
        extensions.filter { $0.key.hasPrefix(Self.extensionPrefix) && $0.key != Self.nonceExtension }
            .mapValues(DeviceRemarks.json)
    }
}
