public import Crypto
public import FoundationEssentials

/// An attestation object to be made: as a device's, unless something is changed.
///
/// Each of the nine steps of Apple's "Validating apps that connect to your server" can be made to fail alone: the nonce
/// is computed over whatever else was changed.
public struct AttestationDesign: Sendable {
    /// Member `fmt`.
    public var format = "apple-appattest"
    /// For which app; its SHA-256 comes first in the authenticator data.
    public var appID: String
    /// Bit 6: there is a credential.
    public var flags: UInt8 = 0x40
    /// Of the key; 0, since it has signed nothing yet.
    public var counter: UInt32 = 0
    /// The environment.
    public var aaguid: [UInt8]
    /// The key's name.
    public var credentialID: [UInt8]
    /// The key in the authenticator data, as an uncompressed point.
    public var publicKey: [UInt8]
    /// CBOR behind the key, as newer devices write it: see ``extensions(bundleVersion:validationCategory:)``.
    public var extensions: [UInt8] = []
    /// Against which the nonce is made.
    public var clientDataHash: [UInt8]
    /// Stands in the place of the nonce.
    public var nonce: [UInt8]?
    /// Whether the certificate has a nonce at all.
    public var hasNonce = true
    /// Of the certificate.
    public var validity: ClosedRange<Date>
    /// Further extensions of the certificate.
    public var certificateExtensions: [CertificateBuilder.Extension] = []
    /// For which key the certificate is; the device's unless set.
    public var certifiedKey: PublicKey?
    /// Who vouches for it; the authority's own unless set.
    public var signer: Signer?
    /// In the place of the two certificates.
    public var certificates: [[UInt8]]?
    /// The receipt beside them, right unless changed; it is not protected by the attestation.
    public var receipt: AttestationReceiptDesign
    /// In the place of the receipt; empty for none.
    public var receiptBytes: [UInt8]?
    /// Members put in after the three.
    public var extraMembers: [(name: String, value: [UInt8])] = []
    /// Members left out: `fmt`, `attStmt`, `authData`.
    public var missingMembers: Set<String> = []
    /// Behind its end.
    public var trailing: [UInt8] = []

    init(for device: SimulatedDevice, clientDataHash: [UInt8], at date: Date) {
        appID = device.appID
        aaguid = device.environment.identifier
        credentialID = device.keyID
        publicKey = device.publicKey
        self.clientDataHash = clientDataHash
        // Apple's live for three days.
        validity = date - 86_400...date + 2 * 86_400
        receipt = AttestationReceiptDesign(
            appID: device.appID, environment: device.environment, createdAt: date, clientDataHash: clientDataHash)
    }

    /// What devices of 2026 write behind the key: two texts of four bytes, the flag for them left clear.
    public static func extensions(bundleVersion: UInt32, validationCategory: UInt32) -> [UInt8] {
        func littleEndian(_ value: UInt32) -> [UInt8] {
            CBORWriter.bytes((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) })
        }
        return CBORWriter.map([
            (CBORWriter.text("apple_bundle_version_01"), littleEndian(bundleVersion)),
            (CBORWriter.text("apple_validation_category_01"), littleEndian(validationCategory)),
        ])
    }

    /// The data that the nonce covers (WebAuthn § 6.1).
    public var authenticatorData: [UInt8] {
        let point = publicKey.count == 65 ? publicKey : [UInt8](repeating: 0, count: 65)
        let key = CBORWriter.map([
            (CBORWriter.unsigned(1), CBORWriter.unsigned(2)), (CBORWriter.unsigned(3), CBORWriter.negative(6)),
            (CBORWriter.negative(0), CBORWriter.unsigned(1)),
            (CBORWriter.negative(1), CBORWriter.bytes(Array(point[1..<33]))),
            (CBORWriter.negative(2), CBORWriter.bytes(Array(point[33...]))),
        ])
        let count = UInt16(truncatingIfNeeded: credentialID.count)
        return Digest.sha256(appID.utf8) + [flags] + counter.bigEndianBytes + aaguid
            + [UInt8(count >> 8), UInt8(count & 0xFF)] + credentialID + key + extensions
    }

    func encoded(for device: SimulatedDevice, by authority: TestAuthority) throws -> [UInt8] {
        let authenticatorData = authenticatorData
        let nonce = nonce ?? Digest.sha256(authenticatorData + clientDataHash)
        let certified = try certifiedKey ?? device.key.publicKey
        let name = Digest.sha256(certified.x963 ?? []).hexadecimal
        var builder = CertificateBuilder(commonName: name, validity: validity)
        builder.extensions = certificateExtensions
        if hasNonce {
            builder.extensions.append(
                .init(Self.nonceExtension, value: DERWriter.sequence(DERWriter.tagged(1, DERWriter.octets(nonce)))))
        }
        let signer = try signer ?? authority.deviceAuthority
        let leaf = try builder.certificate(for: certified, signedBy: signer.key, of: signer.certificate)
        // The root is not among them.
        let certificates = certificates ?? ([leaf] + signer.chain.dropLast()).map(\.der)
        var statement = [
            (key: CBORWriter.text("x5c"), value: CBORWriter.array(certificates.map(CBORWriter.bytes)))
        ]
        let receipt = try receiptBytes ?? authority.signAttestationReceipt(receipt, certificate: leaf)
        if !receipt.isEmpty { statement.append((CBORWriter.text("receipt"), CBORWriter.bytes(receipt))) }

        let members =
            [
                ("fmt", CBORWriter.text(format)), ("attStmt", CBORWriter.map(statement)),
                ("authData", CBORWriter.bytes(authenticatorData)),
            ].filter { !missingMembers.contains($0.0) } + extraMembers.map { ($0.name, $0.value) }
        return CBORWriter.map(members.map { (CBORWriter.text($0.0), $0.1) }) + trailing
    }

    private static let nonceExtension = "1.2.840.113635.100.8.2"
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
