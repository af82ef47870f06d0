/// Where the fields of a certificate are (RFC 5280 § 4.1.2), for what is looked up without asking OpenSSL, which takes
/// longer to read the key than to check a signature. Of what is in the fields nothing is looked at.
struct CertificateOutline {
    let version: DERElement?
    let serial: DERElement
    let algorithm: DERElement
    let issuer: DERElement
    let validity: DERElement
    let subject: DERElement
    let key: DERElement
    /// What stands behind the key.
    let rest: DERReader

    /// Reads the part of a certificate that is signed.
    init(signed: DERReader) throws(DERError) {
        var fields = signed
        version = try fields.nextIfPresent(.context(0))
        serial = try fields.next(.integer)
        algorithm = try fields.next(.sequence)
        issuer = try fields.next(.sequence)
        validity = try fields.next(.sequence)
        subject = try fields.next(.sequence)
        key = try fields.next(.sequence)
        rest = fields
    }

    /// Reads the certificate that comes next, whatever may stand behind it.
    init(in reader: DERReader) throws(DERError) {
        var reader = reader
        var certificate = try reader.enter(.sequence)
        try self.init(signed: certificate.enter(.sequence))
    }
}
