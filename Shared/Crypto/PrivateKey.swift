internal import COpenSSL

/// A key that signs, for authorities of our own: tests, demos, load.
public final class PrivateKey: Sendable {
    /// The kinds of keys with which stores sign.
    public enum Kind: Sendable {
        /// Signs transactions, and everything of App Attest but the certificates of devices.
        case p256
        /// Signs the certificates of devices.
        case p384
        /// Signs receipts, and purchases of Google and AppCoins. Making one takes 100 ms, more or less.
        case rsa2048
    }

    // EVP_PKEY is counted atomically and never changed after it was made.
    nonisolated(unsafe) let handle: OpaquePointer

    /// A new key.
    public static func generate(_ kind: Kind = .p256) throws(CryptoError) -> PrivateKey {
        let handle =
            switch kind {
            case .p256: tollgate_generate_p256()
            case .p384: tollgate_generate_p384()
            case .rsa2048: tollgate_generate_rsa2048()
            }
        guard let handle else { throw .current("EVP_PKEY_Q_keygen") }
        return PrivateKey(takingOwnershipOf: handle)
    }

    /// A key from unencrypted PEM: P-256, P-384 or RSA.
    public convenience init(pem: String) throws(CryptoError) {
        let bio = try MemoryBIO(copying: pem.utf8)
        // Without a callback of its own OpenSSL would ask for a passphrase on the terminal.
        let handle = bio.withHandle { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let handle else { throw .current("private key in PEM", .malformed) }
        self.init(takingOwnershipOf: handle)
        guard try publicKey.algorithm != .other else {
            throw CryptoError(.malformed, "private key: neither P-256, P-384 nor RSA")
        }
    }

    private init(takingOwnershipOf handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }

    /// The key as unencrypted PKCS#8 in PEM: whoever stores it protects it.
    public var pem: String {
        get throws(CryptoError) {
            let bio = try MemoryBIO()
            guard bio.withHandle({ PEM_write_bio_PKCS8PrivateKey($0, handle, nil, nil, 0, nil, nil) }) == 1 else {
                throw .current("PEM_write_bio_PKCS8PrivateKey")
            }
            return bio.text()
        }
    }

    /// The public half.
    public var publicKey: PublicKey {
        get throws(CryptoError) {
            EVP_PKEY_up_ref(handle)
            return try PublicKey(takingOwnershipOf: handle)
        }
    }

    /// Signs the SHA-256 of `message`: 64 bytes, r then s, as in a JWS. Only for a P-256 key.
    public func rawSignature(over message: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        try ECDSASignature.raw(fromDER: signature(over: message))
    }

    /// Signs `message`: ECDSA in DER (RFC 3279 § 2.2.3), or RSASSA-PKCS1-v1_5 (RFC 8017 § 8.2) for an RSA key.
    public func signature(
        over message: some Collection<UInt8>, digest algorithm: Digest.Algorithm = .sha256
    ) throws(CryptoError) -> [UInt8] {
        let digest = Digest.of(message, with: algorithm)
        guard let context = EVP_PKEY_CTX_new(handle, nil) else { throw .current("EVP_PKEY_CTX_new") }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_sign_init(context) == 1,
            EVP_PKEY_CTX_set_signature_md(context, Algorithms.shared[algorithm]) == 1
        else {
            throw .current("EVP_PKEY_sign_init")
        }
        var count = Int(EVP_PKEY_get_size(handle))
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1 else {
            throw .current("EVP_PKEY_sign")
        }
        return Array(signature.prefix(count))
    }
}
