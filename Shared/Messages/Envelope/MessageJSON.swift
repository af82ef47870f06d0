internal import JSON

/// The bodies of messages: JSON, with members in alphabetical order, so that equal messages have equal bytes and the
/// id that derives from them stays the same.
public enum MessageJSON {
    /// The JSON of `value`.
    ///
    /// - Throws: for a number that JSON has no text for.
    public static func encode(_ value: some Encodable) throws -> [UInt8] { try JSONCoding.encode(value) }

    /// The value that `body` has the JSON of; members that `type` does not know are passed over.
    ///
    /// - Throws: `DecodingError` when it is none. The depth is bounded (512), the caller bounds the size.
    public static func decode<Value: Decodable>(_ type: Value.Type, from body: [UInt8]) throws -> Value {
        try JSONCoding.decodeOwn(type, from: body)
    }
}
