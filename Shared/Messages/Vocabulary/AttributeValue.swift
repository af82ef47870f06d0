/// A value in a flat JSON object that a caller sends: no arrays, no objects.
public enum AttributeValue: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A number without a fraction.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// Null: removes the key.
    case null
}

extension AttributeValue: Codable {
    /// From any JSON value that is not an array or an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            // The most frequent first: each try that fails costs more than one that does not.
            self = .text(text)
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected a text, a number, true, false or null")
        }
    }

    /// As the JSON value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .integer(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .null: try container.encodeNil()
        }
    }
}
