/// A value as it is written: for what is passed on without being looked at.
public struct JSONFragment<Value: Codable & Sendable>: Sendable, Hashable {
    /// Its text.
    public let bytes: [UInt8]

    /// What ``JSONCoding`` writes for `value`.
    ///
    /// - Throws: ``JSONError`` for a number that JSON has no text for.
    public init(_ value: Value) throws(JSONError) { self.init(text: try JSONCoding.encode(value)) }

    private init(text: [UInt8]) { bytes = text }

    /// Takes it apart.
    ///
    /// - Throws: `DecodingError` where it is another value.
    public func value() throws -> Value { try JSONCoding.decodeOwn(Value.self, from: bytes) }
}

/// Taken over byte by byte by ``JSONCoding``; whatever else codes it sees the value.
extension JSONFragment: Codable {
    /// The text of the value that is being read.
    public init(from decoder: any Decoder) throws {
        if let decoding = decoder as? JSONDecoding {
            self.init(text: Array(decoding.text))
        } else {
            try self.init(try Value(from: decoder))
        }
    }

    /// Writes the text as it stands.
    public func encode(to encoder: any Encoder) throws {
        if let encoding = encoder as? JSONEncoding {
            encoding.scalar { $0.append(contentsOf: bytes) }
        } else {
            try value().encode(to: encoder)
        }
    }
}
