internal import Crypto
package import Messages

/// What a device has to answer when it attests itself or signs: good once, for five minutes, at any edge.
///
/// Base64url without padding of 57 bytes: version 1, 16 random bytes, when it ends (milliseconds since 1970, big-endian),
/// seal. Made without a write and known again by its seal; that it is spent only once, the registry sees to.
package enum Challenge {
    /// How long one is good.
    package static let lifetime = Duration.seconds(300)
    package static let randomBytes = 16
    private static let version: UInt8 = 1

    /// What came of looking at a text.
    package enum Reading: Sendable, Equatable {
        case good(until: Timestamp)
        /// None of ours.
        case unknown
        case expired(since: Timestamp)
    }

    /// A new one.
    ///
    /// - Parameter random: ``randomBytes`` bytes that nobody can foresee.
    package static func make(random: [UInt8], at now: Timestamp, sealedWith keys: TokenKeys) -> String {
        let content = [version] + random + (now + lifetime).bigEndianBytes
        return Base64.url.encode(content + keys.seal(content, as: .challenge))
    }

    /// What `text` is. A challenge has one text only, so none can be spent in two spellings.
    package static func read(_ text: String, at now: Timestamp, keys: TokenKeys) -> Reading {
        let count = 1 + randomBytes + Timestamp.byteCount
        guard text.utf8.count <= 4 * (count + TokenKeys.sealBytes), let sealed = Base64.url.decode(text.utf8),
            let content = keys.content(of: sealed, as: .challenge), content.count == count, content.first == version,
            let expiresAt = Timestamp(bigEndian: content.suffix(Timestamp.byteCount))
        else { return .unknown }
        return now < expiresAt ? .good(until: expiresAt) : .expired(since: expiresAt)
    }
}

extension Timestamp {
    static let byteCount = 8

    /// Milliseconds since 1970.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: millisecondsSince1970.bigEndian, Array.init) }

    init?(bigEndian bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(clamping: Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    }
}
