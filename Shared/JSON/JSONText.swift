/// Strings between their quotes, as JSON writes them.
enum JSONText {
    /// What the letter after a backslash stands for; `u` is not in here.
    static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// Exactly four hexadecimal digits, in either case.
    static func hexUnit(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard digits.count == 4 else { return nil }
        var unit: UInt16 = 0
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }

    /// The content of a string that ``JSONReader`` has accepted, as UTF-8.
    static func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                result.append(byte)
                continue
            }
            guard letter == UInt8(ascii: "u") else {
                result.append(escapes[letter] ?? letter)
                continue
            }
            result.append(contentsOf: UTF8.encode(scalar(from: &rest)) ?? UTF8.encodedReplacementCharacter)
        }
        return result
    }

    private static func scalar(from rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
        let first = UInt32(hexUnit(rest.prefix(4)) ?? 0)
        rest = rest.dropFirst(4)
        guard case 0xD800..<0xDC00 = first else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let second = UInt32(hexUnit(rest.dropFirst(2).prefix(4)) ?? 0)
        rest = rest.dropFirst(6)
        return Unicode.Scalar(0x10000 &+ (first &- 0xD800) << 10 &+ (second &- 0xDC00)) ?? "\u{FFFD}"
    }
}
