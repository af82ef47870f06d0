internal import COpenSSL

/// Digests of bytes that are at hand as a whole.
public enum Digest {
    /// A digest that signatures of the stores are made with.
    public enum Algorithm: String, Sendable, CaseIterable {
        /// Broken as a promise; for formats that prescribe it, and for what was signed before 2023.
        case sha1
        case sha256
        case sha384
        case sha512

        fileprivate var byteCount: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    /// The digest of `bytes`: 20, 32, 48 or 64 bytes.
    public static func of(_ bytes: some Collection<UInt8>, with algorithm: Algorithm) -> [UInt8] {
        let count = algorithm.byteCount
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            let status = bytes.withBytes {
                EVP_Digest($0.baseAddress, $0.count, buffer.baseAddress, nil, Algorithms.shared[algorithm], nil)
            }
            // Not an outcome of any input: it needs memory for one small context, as every array does.
            precondition(status == 1, "EVP_Digest")
            written = count
        }
    }

    /// SHA-256, 32 bytes.
    public static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] { of(bytes, with: .sha256) }

    /// SHA-1, 20 bytes. Broken as a promise; for formats that prescribe it.
    public static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8] { of(bytes, with: .sha1) }
}

/// Algorithms looked up once: `EVP_sha256()` makes OpenSSL 3 search for its implementation at each use.
struct Algorithms: Sendable {
    static let shared = Algorithms()

    // Immutable once fetched, and counted atomically: OpenSSL shares them between threads (man EVP_MD_fetch).
    nonisolated(unsafe) private let sha1 = Self.fetch("SHA1")
    nonisolated(unsafe) let sha256 = Self.fetch("SHA256")
    nonisolated(unsafe) private let sha384 = Self.fetch("SHA384")
    nonisolated(unsafe) private let sha512 = Self.fetch("SHA512")

    subscript(_ algorithm: Digest.Algorithm) -> OpaquePointer {
        switch algorithm {
        case .sha1: sha1
        case .sha256: sha256
        case .sha384: sha384
        case .sha512: sha512
        }
    }

    private static func fetch(_ name: String) -> OpaquePointer {
        guard let algorithm = EVP_MD_fetch(nil, name, nil) else { preconditionFailure("this OpenSSL has no \(name)") }
        return algorithm
    }
}

extension Collection<UInt8> {
    /// Lends the bytes in one piece, copied only if they are not in one.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}
