internal import Crypto

/// What an App Attest key vouches for: the request or the challenge, in one of the forms in which callers have it.
public enum ClientData: Sendable, Hashable {
    /// The bytes that the app hashed with SHA-256.
    case bytes([UInt8])
    /// What the app gave as the hash, used as it is. Apple's own samples have the bare challenge here, so that it may
    /// have any length.
    case hash([UInt8])
    /// A challenge: the app hashed its text or, if it is base64url, the bytes that the text stands for. Either binds
    /// the answer to the challenge, and apps do both.
    case challenge(String)

    /// What may have been signed.
    var hashes: [[UInt8]] {
        switch self {
        case .bytes(let bytes): [Digest.sha256(bytes)]
        case .hash(let hash): [hash]
        case .challenge(let text):
            [Digest.sha256(text.utf8)] + (Base64.url.decode(text.utf8).map { [Digest.sha256($0)] } ?? [])
        }
    }
}
