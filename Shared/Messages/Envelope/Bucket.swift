/// Which of the 64 shares of all keys a key falls into: `CRC-32(key) mod 64`, fixed for ever.
///
/// Any publisher computes it in one line in any language (Python: `zlib.crc32(key.encode()) % 64`).
public struct Bucket: Sendable, Hashable, Comparable, Codable {
    /// How many buckets there are.
    public static let count = 64
    /// All of them.
    public static let all = (0..<count).map { Bucket(unchecked: $0) }

    /// 0 to 63.
    public let number: Int

    /// The bucket of `key`'s UTF-8 bytes.
    public init(of key: String) {
        number = Int(CRC32.checksum(key.utf8) % UInt32(Self.count))
    }

    /// The bucket of this number; nil outside 0 to 63.
    public init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        self.number = number
    }

    private init(unchecked number: Int) { self.number = number }

    /// Which of `partitions` owns it: `number mod partitions`.
    public func partition(of partitions: PartitionCount) -> Int { number % partitions.rawValue }

    /// By number.
    public static func < (left: Bucket, right: Bucket) -> Bool { left.number < right.number }

    /// From its number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bucket = Bucket(try container.decode(Int.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a bucket is 0 to 63")
        }
        self = bucket
    }

    /// As its number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

/// Into how many partitions a service's keys are split: a power of two up to 64.
public struct PartitionCount: Sendable, Hashable, RawRepresentable {
    /// 1, 2, 4, 8, 16, 32 or 64.
    public let rawValue: Int

    /// Nil for any other number.
    public init?(rawValue: Int) {
        guard (1...Bucket.count).contains(rawValue), rawValue & (rawValue - 1) == 0 else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: Int) { self.rawValue = rawValue }

    /// One partition: a laptop.
    public static let one = PartitionCount(known: 1)

    /// The buckets of partition `number`: those with `bucket mod count == number`.
    public func buckets(of number: Int) -> [Bucket] { Bucket.all.filter { $0.number % rawValue == number } }
}

/// CRC-32 as in zlib, PNG and Ethernet (reflected polynomial 0xEDB88320).
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
    }
}
