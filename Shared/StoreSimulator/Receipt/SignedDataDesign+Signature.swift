public import Crypto

extension SignedDataDesign {
    /// One signature of a SignedData (RFC 5652 § 5.3): right unless something is changed.
    public struct Signature: Sendable {
        /// How it says whose it is.
        public enum Identification: Sendable {
            case issuerAndSerial
            case keyIdentifier
        }

        /// Signed attributes (RFC 5652 § 5.4).
        public enum Attributes: Sendable {
            /// As in every receipt that Apple signs: the signature is over the content itself.
            case none
            /// Content type and message digest; the signature is over them.
            case signed
            /// As they should be, but the signature is over the content, as in receipts of App Attest of 2020.
            case signedOverContent
            /// The digest is another content's.
            case wrongDigest
            /// The digest is not there.
            case noDigest
            /// The content type is another one.
            case wrongContentType
        }

        /// Who signs.
        public var signer: Signer
        /// Over which digest.
        public var digest: Digest.Algorithm
        /// How it says whose it is.
        public var identification = Identification.issuerAndSerial
        /// What is signed along.
        public var attributes = Attributes.none
        /// 1, or 3 with a key identifier, unless set.
        public var version: Int?
        /// In dotted form: what it says that the digest was.
        public var digestIdentifier: String
        /// In dotted form: what it says that the signature is. An RSA key by itself, unless set, as Apple does.
        public var signatureIdentifier: String?
        /// Stands in the place of the signature.
        public var value: [UInt8]?

        /// A signature without signed attributes.
        public init(by signer: Signer, digest: Digest.Algorithm = .sha256) {
            self.signer = signer
            self.digest = digest
            self.digestIdentifier = ObjectIdentifiers.digest(digest)
        }

        func encoded(over content: [UInt8], contentType: String) throws -> [UInt8] {
            let algorithm = try signer.key.publicKey.algorithm
            let attributes = self.attributes(of: content, contentType: contentType)
            let isOverContent =
                switch self.attributes {
                case .none, .signedOverContent: true
                default: false
                }
            let message = isOverContent ? content : DERWriter.set(of: attributes)
            let value = try self.value ?? signer.key.signature(over: message, digest: digest)
            let identity = CertificateIdentity(of: signer.certificate)
            let whose =
                switch identification {
                case .issuerAndSerial: DERWriter.sequence(identity.issuer, identity.serial)
                case .keyIdentifier: DERWriter.element(0x80, signer.certificate.subjectKeyIdentifier ?? [])
                }
            let name =
                signatureIdentifier
                ?? (algorithm == .rsa
                    ? ObjectIdentifiers.rsaEncryption : ObjectIdentifiers.signature(algorithm, digest))
            return DERWriter.sequence(
                DERWriter.integer(version ?? (identification == .issuerAndSerial ? 1 : 3)), whose,
                DERWriter.sequence(DERWriter.identifier(digestIdentifier), DERWriter.null),
                attributes.isEmpty ? [] : [0xA0] + DERWriter.set(of: attributes).dropFirst(),
                // RFC 5758 § 3.2: ECDSA has no parameters at all.
                DERWriter.sequence(DERWriter.identifier(name), algorithm == .rsa ? DERWriter.null : []),
                DERWriter.octets(value))
        }

        private func attributes(of content: [UInt8], contentType: String) -> [[UInt8]] {
            func attribute(_ identifier: String, _ value: [UInt8]) -> [UInt8] {
                DERWriter.sequence(DERWriter.identifier(identifier), DERWriter.set(of: [value]))
            }
            var type = contentType
            var digest: [UInt8]? = Digest.of(content, with: self.digest)
            switch attributes {
            case .none: return []
            case .signed, .signedOverContent: break
            case .wrongDigest: digest = Digest.of(content + [0], with: self.digest)
            case .noDigest: digest = nil
            case .wrongContentType: type = ObjectIdentifiers.signedData
            }
            return [attribute(ObjectIdentifiers.contentTypeAttribute, DERWriter.identifier(type))]
                + (digest.map { [attribute(ObjectIdentifiers.messageDigestAttribute, DERWriter.octets($0))] } ?? [])
        }
    }
}

/// What a signature names a certificate by, cut out of a certificate that we have made ourselves.
private struct CertificateIdentity {
    /// In DER.
    let issuer: [UInt8]
    /// In DER.
    let serial: [UInt8]

    init(of certificate: Certificate) {
        let der = certificate.der
        // Certificate, TBSCertificate, [0] version (RFC 5280 § 4.1).
        let version = Self.content(of: der, at: Self.content(of: der, at: 0).lowerBound).lowerBound
        let serial = Self.content(of: der, at: version).upperBound
        let algorithm = Self.content(of: der, at: serial).upperBound
        let issuer = Self.content(of: der, at: algorithm).upperBound
        self.serial = Array(der[serial..<algorithm])
        self.issuer = Array(der[issuer..<Self.content(of: der, at: issuer).upperBound])
    }

    /// Where the content of the element lies that begins at `start`.
    private static func content(of der: [UInt8], at start: Int) -> Range<Int> {
        let first = der[start + 1]
        guard first >= 0x80 else { return start + 2..<start + 2 + Int(first) }
        let end = start + 2 + Int(first & 0x7F)
        let count = der[start + 2..<end].reduce(0) { $0 << 8 | Int($1) }
        return end..<end + count
    }
}
