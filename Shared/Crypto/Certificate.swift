internal import COpenSSL
public import FoundationEssentials

/// An X.509 certificate. Read, not believed: whether to trust it is up to ``CertificateChain``.
public final class Certificate: Sendable {
    /// The bytes it was read from.
    public let der: [UInt8]
    /// First second of its validity.
    public let notBefore: Date
    /// End of its validity; OpenSSL refuses from this second on.
    public let notAfter: Date
    // X509 is counted atomically; what it computes lazily it guards with a lock of its own.
    nonisolated(unsafe) let handle: OpaquePointer

    /// From DER with nothing behind it.
    public convenience init(der: [UInt8]) throws(CryptoError) {
        var consumed = 0
        let handle = der.withUnsafeBufferPointer { buffer in
            var rest = buffer.baseAddress
            let handle = d2i_X509(nil, &rest, buffer.count)
            if let rest, let start = buffer.baseAddress { consumed = rest - start }
            return handle
        }
        guard let handle else { throw .current("certificate", .malformed) }
        guard consumed == der.count else {
            X509_free(handle)
            throw CryptoError(.malformed, "certificate: trailing bytes")
        }
        try self.init(takingOwnershipOf: handle, der: der)
    }

    /// From the first certificate in a PEM text.
    public convenience init(pem: String) throws(CryptoError) {
        let bio = try MemoryBIO(copying: pem.utf8)
        let handle = bio.withHandle { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let handle else { throw .current("certificate in PEM", .malformed) }
        try self.init(takingOwnershipOf: handle, der: Self.der(of: handle))
    }

    /// Frees the handle also when it throws.
    init(takingOwnershipOf handle: OpaquePointer, der: [UInt8]) throws(CryptoError) {
        guard let notBefore = Self.date(X509_get0_notBefore(handle)),
            let notAfter = Self.date(X509_get0_notAfter(handle))
        else {
            X509_free(handle)
            throw .current("certificate: validity", .malformed)
        }
        self.handle = handle
        self.der = der
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    deinit { X509_free(handle) }

    static func der(of handle: OpaquePointer) -> [UInt8] {
        let count = Int(i2d_X509(handle, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var end = buffer.baseAddress
            written = max(0, Int(i2d_X509(handle, &end)))
        }
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        var parts = tm()
        guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Date(timeIntervalSince1970: Double(timegm(&parts)))
    }
}

extension Certificate {
    /// The certificate in PEM.
    public var pem: String {
        let lines = stride(from: 0, to: der.count, by: 48).map { start in
            Base64.standard.encode(der[start..<min(start + 48, der.count)])
        }
        return "-----BEGIN CERTIFICATE-----\n\(lines.joined(separator: "\n"))\n-----END CERTIFICATE-----\n"
    }

    /// SHA-256 of the DER: the certificate's name in lists of trusted ones.
    public var fingerprint: [UInt8] { Digest.sha256(der) }

    /// Its holder, as in RFC 4514: `C=US,O=Apple Inc.,…,CN=Apple Root CA - G3`. For people; names can be imitated.
    public var subject: String { Self.text(of: X509_get_subject_name(handle)) }

    /// Whoever it names as its signer, as in RFC 4514.
    public var issuer: String { Self.text(of: X509_get_issuer_name(handle)) }

    /// The serial number in hexadecimal.
    public var serial: String {
        guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(handle), nil) else { return "" }
        defer { BN_free(number) }
        guard let text = BN_bn2hex(number) else { return "" }
        defer { CRYPTO_free(text, "", 0) }
        return String(cString: text)
    }

    /// Whether its basic constraints say that it may sign certificates.
    public var isAuthority: Bool {
        defer { ERR_clear_error() }
        // 1 is "by its extensions"; the higher values are guesses about certificates without any.
        return X509_check_ca(handle) == 1
    }

    /// The key that it vouches for.
    public var publicKey: PublicKey {
        get throws(CryptoError) {
            guard let key = X509_get_pubkey(handle) else { throw .current("certificate: public key", .malformed) }
            return try PublicKey(takingOwnershipOf: key)
        }
    }

    /// Whether it has an extension with this object identifier, in dotted form.
    public func hasExtension(_ identifier: String) -> Bool { handle(ofExtension: identifier) != nil }

    /// What its first extension with this object identifier holds: DER, as a rule; `nil` without such an extension.
    public func value(ofExtension identifier: String) -> [UInt8]? {
        guard let found = handle(ofExtension: identifier) else { return nil }
        return Self.bytes(of: X509_EXTENSION_get_data(found))
    }

    /// The key identifier that it gives its key (RFC 5280 § 4.2.1.2), if it does.
    public var subjectKeyIdentifier: [UInt8]? {
        defer { ERR_clear_error() }
        return X509_get0_subject_key_id(handle).map { Self.bytes(of: $0) }
    }

    /// The object identifiers of its extensions in dotted form, in its order. Any longer than 127 characters is left out.
    public var extensionIdentifiers: [String] {
        (0..<X509_get_ext_count(handle)).compactMap { X509_get_ext(handle, $0).flatMap(Self.identifier) }
    }

    private func handle(ofExtension identifier: String) -> OpaquePointer? {
        for index in 0..<X509_get_ext_count(handle) {
            guard let found = X509_get_ext(handle, index) else { continue }
            if Self.identifier(of: found) == identifier { return found }
        }
        return nil
    }

    private static func identifier(of found: OpaquePointer) -> String? {
        guard let object = X509_EXTENSION_get_object(found) else { return nil }
        var text = [CChar](repeating: 0, count: 128)
        let count = Int(OBJ_obj2txt(&text, Int32(text.count), object, 1))
        // A longer identifier would be cut, and could then look like one that is asked for.
        guard count > 0, count < text.count else { return nil }
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func bytes(of string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
    }

    private static func text(of name: OpaquePointer?) -> String {
        guard let name, let bio = try? MemoryBIO() else { return "" }
        defer { ERR_clear_error() }
        guard bio.withHandle({ X509_NAME_print_ex($0, name, 0, tollgate_name_flags()) }) >= 0 else { return "" }
        return bio.text()
    }
}
