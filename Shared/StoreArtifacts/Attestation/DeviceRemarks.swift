internal import Crypto
internal import JSON

/// The extensions in which Apple lists what it knows about a device: `SEQUENCE { [n] { INTEGER or OCTET STRING } … }`,
/// with numbers above 1,000 (1400 is the system's version).
///
/// Their form has changed before. Whatever does not look like this is shown in hexadecimal.
enum DeviceRemarks {
    /// Numbers as such, texts as such, other bytes in hexadecimal behind `0x`.
    static func json(_ der: [UInt8]) -> JSONValue {
        guard let list = element(der[...]), list.first == 0x30, list.rest.isEmpty else { return hexadecimal(der[...]) }
        var remarks: [String: JSONValue] = [:]
        var rest = list.contents
        while !rest.isEmpty {
            guard let remark = element(rest), remark.first >> 5 == 0b101, let value = element(remark.contents),
                value.rest.isEmpty, remarks.updateValue(json(value), forKey: String(remark.number)) == nil
            else { return hexadecimal(der[...]) }
            rest = remark.rest
        }
        return .object(remarks)
    }

    private static func json(_ value: Element) -> JSONValue {
        switch value.first {
        case 0x02 where 1...8 ~= value.contents.count:
            let isNegative = (value.contents.first ?? 0) & 0x80 != 0
            return .interoperable(value.contents.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
        case 0x04 where value.contents.allSatisfy { 0x20..<0x7F ~= $0 }:
            return .string(String(decoding: value.contents, as: UTF8.self))
        default: return hexadecimal(value.contents)
        }
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> JSONValue { .string("0x\(bytes.hexadecimal)") }

    private struct Element {
        /// The first byte of its tag.
        let first: UInt8
        let number: UInt32
        let contents: ArraySlice<UInt8>
        /// What follows it.
        let rest: ArraySlice<UInt8>
    }

    /// The first element of these bytes, with a definite length and a tag number of up to 28 bits.
    private static func element(_ bytes: ArraySlice<UInt8>) -> Element? {
        var rest = bytes
        guard let first = rest.popFirst() else { return nil }
        var number = UInt32(first & 0x1F)
        if number == 0x1F {
            number = 0
            for index in 0..<5 {
                guard index < 4, let digit = rest.popFirst() else { return nil }
                number = number << 7 | UInt32(digit & 0x7F)
                if digit & 0x80 == 0 { break }
            }
        }
        guard let short = rest.popFirst() else { return nil }
        var count = Int(short)
        if short & 0x80 != 0 {
            guard 0x81...0x84 ~= short, rest.count >= count & 0x7F else { return nil }
            count = rest.prefix(Int(short & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(Int(short & 0x7F))
        }
        guard count <= rest.count else { return nil }
        return Element(first: first, number: number, contents: rest.prefix(count), rest: rest.dropFirst(count))
    }
}
