internal import Crypto

/// What a caller, a user or an app is called among edges: 64 bits of a SHA-256. The same at every edge, so that they
/// can tell each other how often; nobody can be aimed at by finding another text with his hash.
package struct CallerHash: Sendable, Hashable {
    package let bits: UInt64

    package init(_ bits: UInt64) { self.bits = bits }

    /// Of what stands for one caller: every part counts, and where it ends.
    package init(_ parts: [String]) {
        var text: [UInt8] = []
        for part in parts {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.utf8.count).littleEndian) { text += $0 }
            text += part.utf8
        }
        bits = Digest.sha256(text).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The same of single parts.
    package init(_ parts: String...) { self.init(parts) }

    /// From 16 hexadecimal digits; nil for any other text.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == 16, text.utf8.first != UInt8(ascii: "+"), let bits = UInt64(text, radix: 16)
        else { return nil }
        self.bits = bits
    }

    /// 16 digits.
    package var hexadecimal: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
