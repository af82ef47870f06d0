internal import COpenSSL
public import FoundationEssentials

/// Makes certificates for authorities of our own, with everything a store's certificates have, or lack.
public struct CertificateBuilder: Sendable {
    /// The holder's name.
    public var commonName: String
    /// Whole seconds; the upper bound is `notAfter`.
    public var validity: ClosedRange<Date>
    /// Whether it may sign certificates.
    public var isAuthority = false
    /// How many authorities may stand below it; only for one that is an authority itself.
    public var pathLength: Int?
    /// Object identifiers in dotted form of extensions that are there and say nothing, as Apple's markers.
    public var markers: [String] = []
    /// Further extensions, in order.
    public var extensions: [Extension] = []
    /// With which digest it is signed; nobody but old stores would choose SHA-1.
    public var digest = Digest.Algorithm.sha256
    /// At most 20 bytes, the first below 0x80 (RFC 5280 § 4.1.2.2). Random unless set.
    public var serial: [UInt8]

    /// An extension that says something.
    public struct Extension: Sendable {
        /// Object identifier in dotted form.
        public var identifier: String
        /// Whether those who do not know it have to refuse the certificate.
        public var isCritical: Bool
        /// What stands in its octet string: DER, unless something else is to be seen refused.
        public var value: [UInt8]

        /// An extension that does no harm to those who do not know it, unless it says so.
        public init(_ identifier: String, isCritical: Bool = false, value: [UInt8]) {
            self.identifier = identifier
            self.isCritical = isCritical
            self.value = value
        }
    }

    /// A certificate that is no authority and has no markers.
    public init(commonName: String, validity: ClosedRange<Date>) {
        self.commonName = commonName
        self.validity = validity
        self.serial = [0x01] + RandomBytes.make(15)
    }

    /// A root: its holder has signed it himself.
    public func selfSigned(by key: PrivateKey) throws(CryptoError) -> Certificate {
        try certificate(for: try key.publicKey, signedBy: key, issuer: nil)
    }

    /// A certificate for `key`, signed by the holder of `issuer`. Nobody checks that the issuer may do so.
    public func certificate(
        for key: PublicKey, signedBy issuerKey: PrivateKey, of issuer: Certificate
    ) throws(CryptoError) -> Certificate {
        try certificate(for: key, signedBy: issuerKey, issuer: issuer)
    }

    private func certificate(
        for key: PublicKey, signedBy issuerKey: PrivateKey, issuer: Certificate?
    ) throws(CryptoError) -> Certificate {
        guard let handle = X509_new() else { throw .current("X509_new") }
        defer { X509_free(handle) }
        try setSerial(of: handle)
        guard X509_set_version(handle, 2) == 1,
            X509_set_pubkey(handle, key.handle) == 1,
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(handle), "CN", MBSTRING_UTF8, commonName, Int32(commonName.utf8.count), -1, 0)
                == 1,
            X509_set_issuer_name(handle, X509_get_subject_name(issuer?.handle ?? handle)) == 1,
            ASN1_TIME_set(X509_getm_notBefore(handle), time_t(validity.lowerBound.timeIntervalSince1970)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(handle), time_t(validity.upperBound.timeIntervalSince1970)) != nil
        else { throw .current("X509_set") }
        try addExtensions(to: handle, issuer: issuer?.handle ?? handle)
        guard X509_sign(handle, issuerKey.handle, Algorithms.shared[digest]) > 0 else { throw .current("X509_sign") }
        return try Certificate(der: Certificate.der(of: handle))
    }

    private func setSerial(of handle: OpaquePointer) throws(CryptoError) {
        guard let number = BN_bin2bn(serial, Int32(serial.count), nil) else { throw .current("BN_bin2bn") }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(handle)) != nil else {
            throw .current("BN_to_ASN1_INTEGER")
        }
    }

    private func addExtensions(to handle: OpaquePointer, issuer: OpaquePointer) throws(CryptoError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, handle, nil, nil, 0)
        let limit = pathLength.map { ",pathlen:\($0)" } ?? ""
        let basics = [
            (NID_basic_constraints, isAuthority ? "critical,CA:TRUE\(limit)" : "critical,CA:FALSE"),
            (NID_key_usage, isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"),
            (NID_subject_key_identifier, "hash"),
            (NID_authority_key_identifier, "keyid"),
        ]
        for (identifier, value) in basics {
            guard let one = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
                throw .current("X509V3_EXT_conf_nid")
            }
            defer { X509_EXTENSION_free(one) }
            guard X509_add_ext(handle, one, -1) == 1 else { throw .current("X509_add_ext") }
        }
        // NULL in DER is what Apple puts into a marker.
        for marker in markers { try add(Extension(marker, value: [0x05, 0x00]), to: handle) }
        for one in extensions { try add(one, to: handle) }
    }

    private func add(_ one: Extension, to handle: OpaquePointer) throws(CryptoError) {
        guard let identifier = OBJ_txt2obj(one.identifier, 1) else { throw .current("OBJ_txt2obj") }
        defer { ASN1_OBJECT_free(identifier) }
        guard let value = ASN1_OCTET_STRING_new() else { throw .current("ASN1_OCTET_STRING_new") }
        defer { ASN1_OCTET_STRING_free(value) }
        guard ASN1_OCTET_STRING_set(value, one.value, Int32(one.value.count)) == 1,
            let made = X509_EXTENSION_create_by_OBJ(nil, identifier, one.isCritical ? 1 : 0, value)
        else { throw .current("X509_EXTENSION_create_by_OBJ") }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(handle, made, -1) == 1 else { throw .current("X509_add_ext") }
    }
}
