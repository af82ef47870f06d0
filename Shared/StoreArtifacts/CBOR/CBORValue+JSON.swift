internal import Crypto
internal import JSON

extension CBORValue {
    /// The same for people and for programs that know only JSON. Bytes become hexadecimal, keys texts; tags are left
    /// out, and so is what JSON has no word for (`undefined`, infinities).
    var json: JSONValue {
        switch self {
        case .unsigned(let number): Int64(exactly: number).map(JSONValue.interoperable) ?? .string(String(number))
        case .negative(let number):
            Int64(exactly: number).map { .interoperable(-1 - $0) } ?? .string("-\(UInt128(number) + 1)")
        case .bytes(let bytes): .string(bytes.hexadecimal)
        case .text(let text): .string(text)
        case .array(let values): .array(values.map(\.json))
        case .map(let members): .object(Self.object(members))
        case .tagged(_, let value): value.json
        case .boolean(let value): .boolean(value)
        case .null, .undefined: .null
        case .float(let number): number.isFinite ? .double(number) : .null
        }
    }

    /// Of keys that JSON cannot tell apart, such as 1 and "1", the text counts, then the bytes.
    static func object(_ members: [CBORValue: CBORValue]) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        for (key, value) in members { if let name = key.numberName { object[name] = value.json } }
        for (key, value) in members { if let bytes = key.bytes { object[bytes.hexadecimal] = value.json } }
        for (key, value) in members { if let text = key.text { object[text] = value.json } }
        return object
    }

    private var numberName: String? {
        switch self {
        case .unsigned(let number): String(number)
        case .negative(let number): "-\(UInt128(number) + 1)"
        default: nil
        }
    }
}
