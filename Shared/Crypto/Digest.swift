internal import COpenSSL

/// Digests of bytes that are at hand as a whole.
public enum Digest {
    /// SHA-256, 32 bytes.
    public static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        digest(bytes, with: Algorithms.shared.sha256, count: 32)
    }

    /// SHA-1, 20 bytes. Broken as a promise; for formats that prescribe it.
    public static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8] {
        digest(bytes, with: Algorithms.shared.sha1, count: 20)
    }

    private static func digest(_ bytes: some Collection<UInt8>, with algorithm: OpaquePointer, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            let status = bytes.withBytes {
                EVP_Digest($0.baseAddress, $0.count, buffer.baseAddress, nil, algorithm, nil)
            }
            // Not an outcome of any input: it needs memory for one small context, as every array does.
            precondition(status == 1, "EVP_Digest")
            written = count
        }
    }
}

/// Algorithms looked up once: `EVP_sha256()` makes OpenSSL 3 search for its implementation at each use.
struct Algorithms: Sendable {
    static let shared = Algorithms()

    // Immutable once fetched, and counted atomically: OpenSSL shares it between threads (man EVP_MD_fetch).
    nonisolated(unsafe) let sha256: OpaquePointer
    // As above.
    nonisolated(unsafe) let sha1: OpaquePointer

    private init() {
        guard let sha256 = EVP_MD_fetch(nil, "SHA256", nil), let sha1 = EVP_MD_fetch(nil, "SHA1", nil) else {
            preconditionFailure("this OpenSSL has no SHA-256 or no SHA-1")
        }
        self.sha256 = sha256
        self.sha1 = sha1
    }
}

extension Collection<UInt8> {
    /// Lends the bytes in one piece, copied only if they are not in one.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}
