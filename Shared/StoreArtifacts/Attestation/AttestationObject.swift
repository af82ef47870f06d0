/// An attestation object in its parts, of which nothing is verified yet.
struct AttestationObject {
    /// Genuine ones have up to 6 KB.
    static let limit = 64 * 1024
    /// Genuine ones have two: the device's, and that of who signed it. The root may follow.
    static let certificateCounts = 2...4

    /// What the device has signed, and the nonce covers.
    let authenticatorData: AuthenticatorData
    /// Covered by nothing: to be verified on its own. Empty if there is none.
    let receipt: [UInt8]
    private let x5c: [CBORValue]

    /// Takes it apart: the steps `cbor` and `format`.
    init(_ bytes: [UInt8]) throws(Shortfall) {
        let object: [CBORValue: CBORValue]
        do {
            object = try CBORReader.map(bytes[...], limits: CBORReader.Limits(bytes: Self.limit))
        } catch {
            throw Shortfall(.cbor, .malformed, "\(error)")
        }
        guard let format = object[.text("fmt")]?.text, let statement = object[.text("attStmt")]?.map,
            let authenticatorData = object[.text("authData")]?.bytes
        else { throw Shortfall(.cbor, .malformed, "no fmt, no attStmt or no authData") }
        guard format == "apple-appattest" else {
            throw Shortfall(.format, .malformed, "the format is not apple-appattest")
        }
        // Without one nothing else may be there: what was put into its place, or renamed, would be lost unseen.
        let receipt = statement[.text("receipt")]
        guard let receipt = receipt == nil && statement.count <= 1 ? [] : receipt?.bytes else {
            throw Shortfall(.format, .malformed, "the receipt is not where it has to be")
        }
        self.authenticatorData = AuthenticatorData(bytes: authenticatorData)
        self.receipt = receipt
        self.x5c = statement[.text("x5c")]?.array ?? []
    }

    /// The certificates in DER, the device's first.
    func certificates() throws(Shortfall) -> [[UInt8]] {
        guard x5c.count >= Self.certificateCounts.lowerBound else {
            throw Shortfall(.chain, .malformed, "x5c has \(x5c.count) certificates, fewer than two")
        }
        guard x5c.count <= Self.certificateCounts.upperBound else {
            throw Shortfall(.chain, .chainLength, "x5c has \(x5c.count) certificates")
        }
        var certificates: [[UInt8]] = []
        for value in x5c {
            guard let der = value.bytes else {
                throw Shortfall(.chain, .badCertificate, "x5c holds something that is no certificate")
            }
            certificates.append(der)
        }
        return certificates
    }
}
