internal import FoundationEssentials

/// The identity of a message: what has been applied under it is not applied again.
///
/// Ours are UUIDv7 (RFC 9562 § 5.7): time-ordered, so that an index on them grows at its end.
public struct MessageID: TextIdentifier {
    /// The text as it travels.
    public let rawValue: String

    /// Any text: strangers choose their own.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A new UUIDv7 of `time` and 74 random bits.
    public init(at time: Timestamp) {
        var generator = SystemRandomNumberGenerator()
        var bytes = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: (generator.next(), generator.next())) { random in
            for index in 0..<16 { bytes[index] = random[index] }
        }
        self.init(version: 7, milliseconds: time.millisecondsSince1970, rest: bytes)
    }

    /// The UUIDv7 of `time` and what stands in for its random bits, so that the same occasion has the same id.
    ///
    /// - Parameter digest: at least 16 bytes of SHA-256.
    public init(at time: Timestamp, digest: [UInt8]) {
        precondition(digest.count >= 16, "a digest has at least 16 bytes")
        self.init(version: 7, milliseconds: time.millisecondsSince1970, rest: Array(digest.prefix(16)))
    }

    /// The id of what follows from `cause`: its 48 time bits, the rest from `digest`, so that a repeat of the cause
    /// makes the same id.
    ///
    /// - Parameter digest: at least 16 bytes of SHA-256 over what the message derives from.
    public init(following cause: MessageID, digest: [UInt8]) {
        precondition(digest.count >= 16, "a digest has at least 16 bytes")
        self.init(version: 7, milliseconds: cause.milliseconds, rest: Array(digest.prefix(16)))
    }

    /// The 48 time bits; for an id that is no UUID its own bytes stand in, so that derived ids stay stable.
    var milliseconds: Int64 {
        guard let uuid = UUID(uuidString: rawValue)?.uuid else { return Int64(CRC32.checksum(rawValue.utf8)) }
        return [uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5].reduce(0) { $0 << 8 | Int64($1) }
    }

    private init(version: UInt8, milliseconds: Int64, rest: [UInt8]) {
        var b = rest
        for index in 0..<6 { b[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * Int64(index))) }
        b[6] = b[6] & 0x0F | version << 4
        b[8] = b[8] & 0x3F | 0x80
        let uuid = UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
        rawValue = uuid.uuidString.lowercased()
    }
}
