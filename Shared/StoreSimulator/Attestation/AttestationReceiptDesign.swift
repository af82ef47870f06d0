public import Crypto
public import FoundationEssentials

/// A receipt of App Attest to be made: the one in an attestation, or one that Apple's server hands out for it.
public struct AttestationReceiptDesign: Sendable {
    /// What it was made for.
    public enum Kind: String, Sendable {
        /// Inside an attestation.
        case attest = "ATTEST"
        /// From Apple's server, in exchange for another one.
        case receipt = "RECEIPT"
    }

    /// Field 6.
    public var kind = Kind.attest
    /// Field 2.
    public var appID: String
    /// Field 7: `sandbox` or `production`.
    public var environment: String
    /// Field 12.
    public var createdAt: Date
    /// Field 19, of ``Kind/receipt``: not to be exchanged again before.
    public var notBefore: Date?
    /// Field 21.
    public var expiresAt: Date
    /// Field 17, of ``Kind/receipt``: attestations of one device in a month, more or less.
    public var riskMetric: Int?
    /// Field 4.
    public var clientDataHash: [UInt8]
    /// Field 5.
    public var token: String
    /// Field 3, unless the device's certificate belongs there.
    public var certificate: [UInt8]?
    /// What is not as it should be.
    public var changes = ReceiptChanges()
    /// Segments of 1,000 bytes, as Apple's.
    public var form = SignedDataDesign.Form.indefinite(segment: 1_000)
    /// What is signed along.
    public var attributes = SignedDataDesign.Signature.Attributes.none
    /// Who signs; the authority's own unless set.
    public var signer: Signer?

    /// As it stands in an attestation.
    public init(
        appID: String, environment: SimulatedDevice.Environment, createdAt: Date, clientDataHash: [UInt8] = []
    ) {
        self.appID = appID
        self.environment = environment == .production ? "production" : "sandbox"
        self.createdAt = createdAt
        self.expiresAt = createdAt + 90 * 86_400
        self.clientDataHash = clientDataHash
        self.token = Base64.standard.encode(Digest.sha256(appID.utf8) + Digest.sha256(clientDataHash))
    }

    func payload(certificate: Certificate) -> [UInt8] {
        func text(_ type: Int64, _ text: String) -> ReceiptAttribute { ReceiptAttribute(type, bytes: Array(text.utf8)) }
        func date(_ type: Int64, _ date: Date) -> ReceiptAttribute {
            text(type, date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        var attributes = [
            text(2, appID), ReceiptAttribute(3, bytes: self.certificate ?? certificate.der),
            ReceiptAttribute(4, bytes: clientDataHash), text(5, token), text(6, kind.rawValue), text(7, environment),
            date(12, createdAt), date(21, expiresAt),
        ]
        if let riskMetric { attributes.append(text(17, String(riskMetric))) }
        if let notBefore { attributes.append(date(19, notBefore)) }
        var changes = changes
        // Apple's are in the order of their fields.
        changes.isUnsorted = true
        return changes.set(of: attributes)
    }
}

extension TestAuthority {
    /// Signs a receipt of App Attest.
    ///
    /// - Parameter certificate: the device's, as in its attestation.
    public func signAttestationReceipt(
        _ receipt: AttestationReceiptDesign, certificate: Certificate
    ) throws -> [UInt8] {
        var design = SignedDataDesign(
            receipt.payload(certificate: certificate), signedBy: try receipt.signer ?? attestationReceiptSigner)
        design.form = receipt.form
        design.signatures[0].attributes = receipt.attributes
        return try design.encoded()
    }
}
