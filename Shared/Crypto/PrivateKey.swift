internal import COpenSSL

/// A P-256 key that signs, for authorities of our own: tests, demos, load.
public final class PrivateKey: Sendable {
    // EVP_PKEY is counted atomically and never changed after it was made.
    nonisolated(unsafe) let handle: OpaquePointer

    /// A new key.
    public static func generate() throws(CryptoError) -> PrivateKey {
        guard let handle = tollgate_generate_p256() else { throw .current("EVP_EC_gen") }
        return PrivateKey(takingOwnershipOf: handle)
    }

    /// A key from unencrypted PEM.
    public convenience init(pem: String) throws(CryptoError) {
        let bio = try MemoryBIO(copying: pem.utf8)
        // Without a callback of its own OpenSSL would ask for a passphrase on the terminal.
        let handle = bio.withHandle { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let handle else { throw .current("private key in PEM", .malformed) }
        self.init(takingOwnershipOf: handle)
        guard try publicKey.algorithm == .p256 else { throw CryptoError(.malformed, "private key: not P-256") }
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

    /// Signs the SHA-256 of `message`: 64 bytes, r then s, as in a JWS.
    public func rawSignature(over message: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        try ECDSASignature.raw(fromDER: derSignature(over: message))
    }

    /// Signs the SHA-256 of `message`: DER.
    public func derSignature(over message: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        let digest = Digest.sha256(message)
        guard let context = EVP_PKEY_CTX_new(handle, nil) else { throw .current("EVP_PKEY_CTX_new") }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_sign_init(context) == 1 else { throw .current("EVP_PKEY_sign_init") }
        var signature = [UInt8](repeating: 0, count: 80)
        var count = signature.count
        guard EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1 else {
            throw .current("EVP_PKEY_sign")
        }
        return Array(signature.prefix(count))
    }
}
