internal import Crypto
internal import FoundationEssentials

/// A container with something that one signer has signed: SignedData of CMS, formerly PKCS #7 (RFC 5652 § 5). App
/// Store receipts and App Attest receipts are such.
///
/// Read, not believed. ``chain(under:policy:at:cache:)`` tells who signed, ``isSigned(by:)`` whether he did. Lengths
/// may be indefinite and the content in segments, as Xcode and App Attest write them.
struct SignedContainer: Sendable {
    /// More than any store sends; each has to be looked at.
    static let mostCertificates = 16

    /// What is signed, its segments put together.
    let content: [UInt8]
    /// Who signed it, as he says.
    let signer: SignerInfo
    private let bytes: [UInt8]
    /// All certificates as they were sent, in one piece.
    private let certificateSet: Range<Int>
    private let certificateRanges: [Range<Int>]

    /// Reads a container with nothing behind it.
    ///
    /// - Throws: ``Shortfall`` in the step `structure`.
    init(_ bytes: [UInt8], limit: Int) throws(Shortfall) {
        guard bytes.count <= limit else { throw .malformed("longer than \(limit) bytes") }
        do {
            try self.init(reading: bytes)
        } catch let shortfall as Shortfall {
            throw shortfall
        } catch let error as DERError {
            throw .malformed("the container \(error)")
        } catch {
            throw .malformed("the container: \(error)")
        }
    }

    private init(reading bytes: [UInt8]) throws {
        var outer = DERReader(bytes, rules: .ber)
        var info = try outer.enter(.sequence)
        try outer.finish()
        guard try info.objectIdentifier().elementsEqual(ObjectIdentifier.signedData) else {
            throw Shortfall.malformed("a container of another kind than SignedData")
        }
        var explicit = try info.enter(.context(0))
        try info.finish()
        var fields = try explicit.enter(.sequence)
        try explicit.finish()

        // 1 as a rule, 3 if the signer is named by his key: nothing hangs on it.
        _ = try fields.integer()
        _ = try fields.next(.set)
        content = try Self.content(&fields)
        var certificates: [Range<Int>] = []
        var all = fields.position..<fields.position
        if let set = try fields.nextIfPresent(.context(0)) {
            all = set.contents
            var members = try fields.inside(set)
            while !members.isAtEnd {
                let member = try members.next()
                guard certificates.count < Self.mostCertificates else {
                    throw Shortfall.malformed("more than \(Self.mostCertificates) certificates")
                }
                // Other members are certificates of other kinds (RFC 5652 § 10.2.2), of which we need none.
                if member.tag == .sequence { certificates.append(member.range) }
            }
        }
        _ = try fields.nextIfPresent(.context(1))
        var signers = try fields.enter(.set)
        try fields.finish()
        guard !signers.isAtEnd else { throw Shortfall.malformed("nobody has signed it") }
        signer = try SignerInfo(&signers)
        guard signers.isAtEnd else { throw Shortfall.malformed("more than one has signed it") }
        self.bytes = bytes
        certificateSet = all
        certificateRanges = certificates
    }

    private static func content(_ fields: inout DERReader) throws -> [UInt8] {
        var encapsulated = try fields.enter(.sequence)
        guard try encapsulated.objectIdentifier().elementsEqual(ObjectIdentifier.data) else {
            throw Shortfall.malformed("its content is of another type than data")
        }
        guard !encapsulated.isAtEnd else { throw Shortfall.malformed("its content is kept apart from it") }
        var explicit = try encapsulated.enter(.context(0))
        try encapsulated.finish()
        let octets = try explicit.next(.octetString)
        try explicit.finish()
        return try explicit.joinedOctets(octets)
    }
}

// MARK: - Who signed it

extension SignedContainer {
    /// How many certificates came with it.
    var certificateCount: Int { certificateRanges.count }

    /// The certificates, in the order in which they were sent.
    func certificates() throws(Shortfall) -> [Certificate] {
        var certificates: [Certificate] = []
        for range in certificateRanges { certificates.append(try certificate(range)) }
        return certificates
    }

    private func certificate(_ range: Range<Int>) throws(Shortfall) -> Certificate {
        guard let certificate = try? Certificate(der: Array(bytes[range])) else {
            throw Shortfall(.structure, .badCertificate, "it holds something that is no certificate")
        }
        return certificate
    }

    /// The certificate that the signer names as his; the others are not looked at.
    ///
    /// - Throws: ``Shortfall`` in the step `structure`.
    func signerCertificate() throws(Shortfall) -> Certificate {
        for range in certificateRanges {
            switch signer.identifier {
            case .issuerAndSerial(let issuer, let serial):
                guard let names = try? names(in: range), names.issuer == issuer, names.serial == serial else {
                    continue
                }
                return try certificate(range)
            case .keyIdentifier(let identifier):
                let certificate = try certificate(range)
                if certificate.subjectKeyIdentifier?.elementsEqual(identifier) ?? false { return certificate }
            }
        }
        throw Shortfall(.structure, .badSignature, "the signer's certificate is not among those that came with it")
    }

    /// Issuer and serial number as they stand in a certificate.
    private func names(
        in range: Range<Int>
    ) throws(DERError) -> (issuer: ArraySlice<UInt8>, serial: ArraySlice<UInt8>) {
        let outline = try CertificateOutline(in: DERReader(bytes, rules: .ber).within(range))
        return (bytes[outline.issuer.range], bytes[outline.serial.contents])
    }

    /// What tells who the signer is: the certificates, and how he is named.
    private var evidence: ArraySlice<UInt8> { bytes[certificateSet] + signer.encodedIdentifier }

    /// The key in the certificate that the signer names as his, which nobody may vouch for.
    ///
    /// - Parameters:
    ///   - found: Signers who were found a moment ago. Reading a certificate takes longer than looking here.
    ///   - cache: Where he may be, too.
    /// - Throws: ``Shortfall`` in the step `structure`.
    func signerKey(found: [VerifiedChain], cache: ChainCache?) throws(Shortfall) -> PublicKey {
        let evidence = evidence
        let known = found.first { $0.evidence.isSame(as: evidence) } ?? cache?.signer(for: evidence)
        if let known { return known.publicKey }
        let leaf = try signerCertificate()
        guard let key = try? leaf.publicKey else {
            throw Shortfall(.structure, .badCertificate, "the signer's certificate has no key")
        }
        return key
    }

    /// Follows the signer's certificate to the roots, or finds him in the cache.
    ///
    /// - Returns: His chain, and whether it was in the cache. A new one may be kept once ``isSigned(by:)`` says that
    ///   the signature is his.
    /// - Throws: ``Shortfall`` in the step `structure` or `chain`; `CryptoError` when the check could not be made.
    func chain(
        under roots: TrustRoots, policy: ChainPolicy, at date: Date, cache: ChainCache?
    ) throws -> (chain: VerifiedChain, isKnown: Bool) {
        let evidence = evidence
        if let known = cache?.chain(for: evidence, under: roots, policy: policy) {
            guard known.validity.contains(date) else { throw VerifiedChain.expired }
            return (known, true)
        }
        let leaf = try signerCertificate()
        let others = try certificates().filter { $0.der != leaf.der }
        let chain = try VerifiedChain(leaf, others, evidence: evidence, roots: roots, policy: policy, at: date)
        return (chain, false)
    }

    /// Whether the signature is this key's: over the content, or over the attributes that speak of it.
    ///
    /// - Throws: `CryptoError` when the check could not be made.
    func isSigned(by key: PublicKey) throws(CryptoError) -> Bool {
        if let attributes = signer.attributes, !attributes.cover(content, digest: signer.digest) { return false }
        let signed = signer.attributes?.signedBytes ?? content
        return signer.isRSA
            ? try key.isValid(pkcs1Signature: signer.signature, over: signed, digest: signer.digest)
            : try key.isValid(derSignature: signer.signature, over: signed, digest: signer.digest)
    }
}
