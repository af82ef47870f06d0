internal import Crypto
package import FoundationEssentials

/// The certificate of somebody who certifies nobody, in the plainest of forms: version 3, for a key of P-256, signed with
/// ECDSA, and nothing in it that asks for a rule of its own (RFC 5280 § 4.1).
///
/// Read without OpenSSL 3.0, which takes longer to find out how the key is to be read than to check a signature of
/// P-256. Whatever is unusual is `nil` or `false` here, and for ``CertificateChain`` to judge: what is accepted here is
/// accepted there.
package struct PlainCertificate {
    package let notBefore: Date
    package let notAfter: Date
    /// The key's point as X9.63 has it.
    let point: [UInt8]
    /// In their order, each kind once.
    let extensions: [PlainExtension]

    private let issuer: ArraySlice<UInt8>
    private let signed: ArraySlice<UInt8>
    private let signature: ArraySlice<UInt8>
    private let digest: Digest.Algorithm

    /// `nil` if there is anything unusual in it.
    package init?(der: [UInt8]) {
        guard let certificate = try? PlainCertificate(reading: der) else { return nil }
        self = certificate
    }

    /// Throws what says no more than `nil` does.
    private init(reading der: [UInt8]) throws {
        var outer = DERReader(der)
        var certificate = try outer.enter(.sequence)
        try outer.finish()
        let body = try certificate.next(.sequence)
        let algorithm = der[try certificate.next(.sequence).range]
        signature = try certificate.wholeBytes()
        try certificate.finish()
        signed = der[body.range]

        let outline = try CertificateOutline(signed: certificate.inside(body))
        guard let version = outline.version, der[version.range].elementsEqual(Self.version3),
            Self.isPlain(serial: outline.serial, in: der),
            let digest = Self.digests[Array(algorithm)], der[outline.algorithm.range] == algorithm,
            // Who names himself as his signer is looked at in another way.
            der[outline.issuer.range] != der[outline.subject.range],
            let point = P256KeyInfo.point(in: der[outline.key.range])
        else { throw Unusual() }
        for name in [outline.issuer, outline.subject] { try certificate.inside(name).plainName() }
        var validity = try certificate.inside(outline.validity)
        notBefore = try validity.utcTime()
        notAfter = try validity.utcTime()
        try validity.finish()
        var rest = outline.rest
        var tagged = try rest.enter(.context(3))
        try rest.finish()
        extensions = try tagged.plainExtensions()
        try tagged.finish()
        issuer = der[outline.issuer.range]
        self.point = point
        self.digest = digest
    }

    private static let version3: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
    /// `ecdsa-with-SHA256` and `ecdsa-with-SHA384`, which have no parameters (RFC 5758 § 3.2).
    private static let digests: [[UInt8]: Digest.Algorithm] = [
        [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]: .sha256,
        [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03]: .sha384,
    ]

    /// RFC 5280 § 4.1.2.2: positive, of 20 bytes at most.
    private static func isPlain(serial: DERElement, in der: [UInt8]) -> Bool {
        let digits = der[serial.contents]
        return !serial.isConstructed && (1...20).contains(digits.count) && digits.first.map { $0 < 0x80 } ?? false
            && !(digits.count > 1 && digits.first == 0 && digits.dropFirst().first.map { $0 < 0x80 } ?? true)
    }
}

extension PlainCertificate {
    /// Whether somebody who has been followed to a root is an authority that vouches for this certificate at `date`.
    ///
    /// - Throws: `CryptoError` when the check could not be made.
    func isVouchedFor(by authority: VerifiedChain, at date: Date) throws(CryptoError) -> Bool {
        let certificate = authority.certificate
        guard notBefore <= date, date < notAfter, authority.validity.contains(date), certificate.isAuthority,
            !certificate.hasExtension(Self.nameConstraints), issuer.elementsEqual(certificate.encodedSubject),
            extensions.allSatisfy({ $0.isHarmless(below: certificate) }), (try? PublicKey(x963: point)) != nil
        else { return false }
        return try authority.publicKey.isValid(derSignature: signature, over: signed, digest: digest)
    }

    private static let nameConstraints = "2.5.29.30"
}

extension Certificate {
    /// The holder's name as it stands in the certificate; empty if that is not in DER.
    fileprivate var encodedSubject: ArraySlice<UInt8> {
        guard let outline = try? CertificateOutline(in: DERReader(der)) else { return [] }
        return der[outline.subject.range]
    }
}

/// Something that has to be looked at by others.
struct Unusual: Error {}

extension DERReader {
    /// A bit string of whole bytes.
    fileprivate mutating func wholeBytes() throws -> ArraySlice<UInt8> {
        let element = try next(.bitString)
        let contents = bytes[element.contents]
        guard !element.isConstructed, contents.first == 0 else { throw Unusual() }
        return contents.dropFirst()
    }

    /// `YYMMDDhhmmssZ`, up to 2049 (RFC 5280 § 4.1.2.5.1).
    fileprivate mutating func utcTime() throws -> Date {
        let element = try next(.utcTime)
        let digits = bytes[element.contents]
        guard !element.isConstructed, digits.count == 13, digits.first.map({ $0 < UInt8(ascii: "5") }) ?? false else {
            throw Unusual()
        }
        let parts = stride(from: digits.startIndex, to: digits.endIndex - 1, by: 2).map { digits[$0..<$0 + 2] }
        let separators = ["20", "-", "-", "T", ":", ":"]
        let text = zip(separators, parts).flatMap { Array($0.utf8) + $1 } + digits.suffix(1)
        guard let date = InternetDate.date(text[...]) else { throw Unusual() }
        return date
    }

    /// Sets of one attribute of X.520 each, whose text is ASCII.
    fileprivate func plainName() throws {
        var name = self
        while !name.isAtEnd {
            var set = try name.enter(.set)
            var attribute = try set.enter(.sequence)
            try set.finish()
            let type = try attribute.plainIdentifier()
            guard type.count == 3, type.starts(with: [0x55, 0x04]), type.allSatisfy({ $0 < 0x80 }),
                try attribute.textBytes(attribute.next()).allSatisfy({ (0x20..<0x7F).contains($0) })
            else { throw Unusual() }
            try attribute.finish()
        }
    }
}
