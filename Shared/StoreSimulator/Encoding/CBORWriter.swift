/// Writes CBOR (RFC 8949) with definite lengths in their shortest form, as devices do.
package enum CBORWriter {
    package static func unsigned(_ value: UInt64) -> [UInt8] { head(0, value) }

    /// −1 − `value`.
    package static func negative(_ value: UInt64) -> [UInt8] { head(1, value) }

    package static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, UInt64(bytes.count)) + bytes }

    package static func text(_ text: String) -> [UInt8] { head(3, UInt64(text.utf8.count)) + text.utf8 }

    package static func array(_ items: [[UInt8]]) -> [UInt8] {
        head(4, UInt64(items.count)) + DERWriter.joined(items)
    }

    /// Keys and values as they have been written, in this order, the same key twice if that is asked for.
    package static func map(_ members: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
        head(5, UInt64(members.count)) + DERWriter.joined(members.flatMap { [$0.key, $0.value] })
    }

    private static func head(_ major: UInt8, _ value: UInt64) -> [UInt8] {
        func bigEndian(_ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        }
        let type = major << 5
        switch value {
        case ..<24: return [type | UInt8(value)]
        case ...0xFF: return [type | 24] + bigEndian(1)
        case ...0xFFFF: return [type | 25] + bigEndian(2)
        case ...0xFFFF_FFFF: return [type | 26] + bigEndian(4)
        default: return [type | 27] + bigEndian(8)
        }
    }
}
