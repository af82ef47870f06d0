internal import COpenSSL

/// A public key that checks signatures. Shared freely between threads; freed with its last reference.
public final class PublicKey: Sendable {
    /// What kind of key it is, as far as we tell them apart.
    public enum Algorithm: Sendable {
        case p256
        case p384
        case rsa
        case other
    }

    /// What kind of key it is.
    public let algorithm: Algorithm
    // EVP_PKEY is counted atomically and never changed after it was made.
    nonisolated(unsafe) let handle: OpaquePointer
    // Set up once and only ever copied: preparing a context takes longer than all the rest around a verification.
    nonisolated(unsafe) private let verification: OpaquePointer

    /// From SubjectPublicKeyInfo in DER (RFC 5280 § 4.1), with nothing behind it.
    public convenience init(der: [UInt8]) throws(CryptoError) {
        try self.init(der) { d2i_PUBKEY(nil, &$0, $1) }
    }

    /// From RSAPublicKey in DER (RFC 8017 § A.1.1), with nothing behind it.
    public convenience init(pkcs1 der: [UInt8]) throws(CryptoError) {
        try self.init(der) { d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) }
    }

    /// `read` is given the start and the count, and moves the start behind what it has read.
    private convenience init(
        _ der: [UInt8], read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    ) throws(CryptoError) {
        var consumed = 0
        let handle = der.withUnsafeBufferPointer { buffer in
            var rest = buffer.baseAddress
            let handle = read(&rest, buffer.count)
            if let rest, let start = buffer.baseAddress { consumed = rest - start }
            return handle
        }
        guard let handle else { throw .current("public key", .malformed) }
        guard consumed == der.count else {
            EVP_PKEY_free(handle)
            throw CryptoError(.malformed, "public key: trailing bytes")
        }
        try self.init(takingOwnershipOf: handle)
    }

    /// Frees the handle also when it throws.
    init(takingOwnershipOf handle: OpaquePointer) throws(CryptoError) {
        guard let verification = EVP_PKEY_CTX_new(handle, nil) else {
            EVP_PKEY_free(handle)
            throw .current("EVP_PKEY_CTX_new")
        }
        self.handle = handle
        self.verification = verification
        self.algorithm = Self.algorithm(of: handle)
        // All stored properties are set, so a throw from here on runs deinit.
        guard algorithm == .other || EVP_PKEY_verify_init(verification) == 1 else {
            throw .current("EVP_PKEY_verify_init")
        }
    }

    deinit {
        EVP_PKEY_CTX_free(verification)
        EVP_PKEY_free(handle)
    }

    /// The key as SubjectPublicKeyInfo in DER.
    public var der: [UInt8] {
        get throws(CryptoError) {
            let count = i2d_PUBKEY(handle, nil)
            guard count > 0 else { throw .current("i2d_PUBKEY") }
            return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
                var end = buffer.baseAddress
                written = Int(i2d_PUBKEY(handle, &end))
            }
        }
    }

    /// Whether `raw` is this key's ECDSA signature over the SHA-256 of `message`, as in a JWS with `ES256`.
    ///
    /// - Throws: ``CryptoError`` when the check could not be made. A signature that does not match or is none at
    ///   all, one in DER included, and a key that is not P-256 are `false`.
    public func isValid(rawSignature raw: [UInt8], over message: some Collection<UInt8>) throws(CryptoError) -> Bool {
        guard algorithm == .p256, let signature = ECDSASignature.der(fromRaw: raw) else { return false }
        return try isValid(derSignature: signature, over: message)
    }

    /// Whether `signature` is this key's ECDSA signature in DER over the digest of `message`.
    ///
    /// - Throws: As ``isValid(rawSignature:over:)`` does; keys that are neither P-256 nor P-384 are `false`.
    public func isValid(
        derSignature signature: some Collection<UInt8>, over message: some Collection<UInt8>,
        digest algorithm: Digest.Algorithm = .sha256
    ) throws(CryptoError) -> Bool {
        guard self.algorithm == .p256 || self.algorithm == .p384 else { return false }
        return try isValid(signature, overDigest: Digest.of(message, with: algorithm)) { _ in true }
    }

    /// Whether `signature` is this key's RSA signature over `message`, as RFC 8017 § 8.2 has it (RSASSA-PKCS1-v1_5).
    ///
    /// - Throws: ``CryptoError`` when the check could not be made. A signature that does not match or is none at all,
    ///   and a key that is not RSA, are `false`. How long the key is, is left to the caller: ``bitCount``.
    public func isValid(
        pkcs1Signature signature: some Collection<UInt8>, over message: some Collection<UInt8>,
        digest algorithm: Digest.Algorithm
    ) throws(CryptoError) -> Bool {
        guard self.algorithm == .rsa else { return false }
        return try isValid(signature, overDigest: Digest.of(message, with: algorithm)) { context in
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, Algorithms.shared[algorithm]) == 1
        }
    }

    private func isValid(
        _ signature: some Collection<UInt8>, overDigest digest: [UInt8], prepare: (OpaquePointer) -> Bool
    ) throws(CryptoError) -> Bool {
        guard let context = EVP_PKEY_CTX_dup(verification) else { throw .current("EVP_PKEY_CTX_dup") }
        defer { EVP_PKEY_CTX_free(context) }
        guard prepare(context) else { throw .current("EVP_PKEY_CTX_set") }
        // Bytes that are no signature come back as -1, not 0; both are refusals, and neither may be retried.
        defer { ERR_clear_error() }
        return signature.withBytes {
            EVP_PKEY_verify(context, $0.baseAddress, $0.count, digest, digest.count) == 1
        }
    }

    private static func algorithm(of handle: OpaquePointer) -> Algorithm {
        switch EVP_PKEY_get_base_id(handle) {
        case EVP_PKEY_RSA: return .rsa
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 64)
            guard EVP_PKEY_get_group_name(handle, &name, name.count, nil) == 1 else {
                ERR_clear_error()
                return .other
            }
            switch OBJ_sn2nid(name) {
            case NID_X9_62_prime256v1: return .p256
            case NID_secp384r1: return .p384
            default: return .other
            }
        default: return .other
        }
    }
}
