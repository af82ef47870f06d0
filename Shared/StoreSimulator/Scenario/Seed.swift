internal import Crypto

/// Numbers and names that follow from a text and a seed.
struct Seed: Sendable {
    private let root: [UInt8]
    private var round: UInt64 = 0

    init(_ name: String, _ seed: UInt64) {
        root = Digest.sha256("\(name)/\(seed)".utf8)
    }

    /// For a ``SimulatedStore``.
    var storeSeed: UInt32 { root.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The next 32 bytes.
    mutating func bytes() -> [UInt8] {
        round += 1
        return Digest.sha256(root + Array(String(round).utf8))
    }

    /// The next number below a limit.
    mutating func number(below limit: UInt64) -> UInt64 {
        bytes().prefix(8).reduce(0) { $0 << 8 | UInt64($1) } % limit
    }

    /// The next UUID, in lower case.
    mutating func uuid() -> String {
        var bytes = Array(bytes().prefix(16))
        // RFC 9562 § 5.4.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = bytes.hexadecimal
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst()).map { start, end in
            String(text.dropFirst(start).prefix(end - start))
        }.joined(separator: "-")
    }

    /// The next text of upper-case letters and digits.
    mutating func letters(_ count: Int) -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String(bytes().prefix(count).map { alphabet[Int($0) % alphabet.count] })
    }
}
