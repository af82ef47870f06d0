extension [UInt8] {
    /// `true` or `false`.
    mutating func appendJSON(_ value: Bool) { append(contentsOf: (value ? "true" : "false").utf8) }

    /// All digits.
    mutating func appendJSON(_ value: some FixedWidthInteger) { append(contentsOf: String(value).utf8) }

    /// The shortest text that reads as the same number; whole numbers without a fraction.
    ///
    /// - Throws: `EncodingError` for what is not finite: JSON has no text for it.
    mutating func appendJSON<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: Number, at path: [any CodingKey]
    ) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(value, .init(codingPath: path, debugDescription: "not finite"))
        }
        let text = value.description
        append(contentsOf: text.utf8)
        if text.hasSuffix(".0") { removeLast(2) }
    }

    /// A text in quotes; what RFC 8259 § 7 wants escaped is, and no more.
    ///
    /// - Returns: whether anything was.
    @discardableResult
    mutating func appendJSON(_ text: String) -> Bool {
        append(UInt8(ascii: "\""))
        var text = text
        var hasEscapes = false
        text.withUTF8 { characters in
            var rest = characters[...]
            while let special = rest.firstIndex(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
                append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<special]))
                appendEscaped(characters[special])
                hasEscapes = true
                rest = rest[(special + 1)...]
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: rest))
        }
        append(UInt8(ascii: "\""))
        return hasEscapes
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x22, 0x5C: append(byte)
        default:
            let digits = Array("0123456789abcdef".utf8)
            append(contentsOf: "u00".utf8)
            append(digits[Int(byte >> 4)])
            append(digits[Int(byte & 15)])
        }
    }
}
