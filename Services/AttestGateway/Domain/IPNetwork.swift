internal import Glibc

/// A numeric address: 4 bytes, or 16.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]
    /// IPv4 in its one form; IPv6 as it was written.
    package let description: String

    /// Reads an IPv4 or IPv6 address; nil for anything else. An IPv4 address written as IPv6 is an IPv4 address.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= 45 else { return nil }
        if let bytes = Self.parse(AF_INET, text, count: 4) {
            self.bytes = bytes
        } else if let bytes = Self.parse(AF_INET6, text, count: 16) {
            let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            self.bytes = bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
        description = bytes.count == 4 ? bytes.map(String.init).joined(separator: ".") : text
    }

    private static func parse(_ family: Int32, _ text: String, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// Two addresses are the same if their bytes are.
    package static func == (left: IPAddress, right: IPAddress) -> Bool { left.bytes == right.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// Addresses that share their first bits: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
package struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Nil for a text that is none.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        let all = address.bytes.count * 8
        guard parts.count == 2 else {
            self.address = address
            bits = all
            return
        }
        guard let bits = Int(parts[1]), (0...all).contains(bits) else { return nil }
        self.address = address
        self.bits = bits
    }

    /// Whether `other` is one of them.
    package func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = bits / 8
        guard other.bytes.prefix(whole).elementsEqual(address.bytes.prefix(whole)) else { return false }
        guard bits % 8 > 0 else { return true }
        return (other.bytes[whole] ^ address.bytes[whole]) >> UInt8(8 - bits % 8) == 0
    }
}
