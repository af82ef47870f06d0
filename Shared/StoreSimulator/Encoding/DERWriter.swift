internal import Glibc

/// Writes ASN.1: DER (X.690), and where it is asked for the indefinite lengths of BER.
package enum DERWriter {
    /// Any element with a tag of one byte.
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = [tag]
        bytes.reserveCapacity(content.count + 6)
        appendLength(content.count, to: &bytes)
        bytes += content
        return bytes
    }

    /// An element that ends where two zero bytes stand. Its tag has to be a constructed one.
    package static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, 0x80] + content + [0, 0]
    }

    package static let null: [UInt8] = [0x05, 0x00]

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, joined(parts)) }

    /// In the order of DER, which is that of the bytes, unless another one is to be seen refused or accepted.
    package static func set(of parts: [[UInt8]], isSorted: Bool = true) -> [UInt8] {
        element(0x31, joined(isSorted ? parts.sorted(by: precedes) : parts))
    }

    package static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    package static func utf8(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    package static func ia5(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }

    /// Explicitly tagged, as `[number]` in a module.
    package static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        element(0xA0 | number, content)
    }

    package static func integer(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: Int64(value) >> (56 - 8 * Int64($0))) }
        // The first nine bits must not be all alike.
        while bytes.count > 1, bytes[0] == 0 && bytes[1] < 0x80 || bytes[0] == 0xFF && bytes[1] >= 0x80 {
            bytes.removeFirst()
        }
        return element(0x02, bytes)
    }

    /// From dotted form.
    package static func identifier(_ dotted: String) -> [UInt8] {
        let numbers = dotted.split(separator: ".").compactMap { UInt64($0) }
        precondition(numbers.count >= 2, "an object identifier has two numbers or more: \(dotted)")
        let content = ([numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)).flatMap { number in
            var digits = [UInt8(number & 0x7F)]
            var rest = number >> 7
            while rest > 0 {
                digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            return digits
        }
        return element(0x06, content)
    }

    /// All of them in one piece. As a loop: what the library offers takes seconds for a large receipt in a debug build.
    package static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts { bytes += part }
        return bytes
    }

    private static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let order = memcmp(one, other, min(one.count, other.count))
        return order == 0 ? one.count < other.count : order < 0
    }

    private static func appendLength(_ count: Int, to bytes: inout [UInt8]) {
        guard count >= 0x80 else { return bytes.append(UInt8(count)) }
        let digits = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
        bytes.append(0x80 | UInt8(digits))
        for digit in (0..<digits).reversed() { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * digit))) }
    }
}
