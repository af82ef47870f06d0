internal import COpenSSL

/// What is signed in place of a message.
public enum SignatureDigest: Sendable, CaseIterable {
    /// Of receipts before 2023, and of purchases of Google and AppCoins.
    case sha1
    case sha256
    case sha384

    var method: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        }
    }

    /// The digest itself.
    public func digest(of message: some Collection<UInt8>) -> [UInt8] {
        switch self {
        case .sha1: return Digest.sha1(message)
        case .sha256: return Digest.sha256(message)
        case .sha384:
            var digest = [UInt8](repeating: 0, count: 48)
            let status = message.withBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, method, nil) }
            // Not an outcome of any input, as in ``Digest``.
            precondition(status == 1, "EVP_Digest")
            return digest
        }
    }
}
