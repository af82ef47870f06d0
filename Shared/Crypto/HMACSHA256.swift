internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104): who does not hold the key can neither make nor change a code.
public enum HMACSHA256 {
    /// The code of a message, 32 bytes.
    public static func code(for message: some Collection<UInt8>, key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, written in
            // OpenSSL counts keys as Int32; a longer one is hashed first, as RFC 2104 has it for any above 64 bytes.
            let key = key.count > 64 ? Digest.sha256(key) : key
            let made = message.withBytes {
                HMAC(EVP_sha256(), key, Int32(key.count), $0.baseAddress, $0.count, buffer.baseAddress, nil)
            }
            precondition(made != nil, "HMAC")
            written = 32
        }
    }

    /// Whether `code` belongs to the message; takes the same time for every wrong code.
    public static func isValid(_ code: [UInt8], for message: some Collection<UInt8>, key: [UInt8]) -> Bool {
        code.isEqualInConstantTime(to: self.code(for: message, key: key))
    }
}

extension [UInt8] {
    /// Compares secrets: the time tells the length, but not where the first difference is.
    public func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        count == other.count && CRYPTO_memcmp(self, other, count) == 0
    }
}
