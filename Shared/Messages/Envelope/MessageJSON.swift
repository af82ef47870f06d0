internal import FoundationEssentials

/// The bodies of messages: JSON, with members in alphabetical order, so that equal messages have equal bytes and the
/// id that derives from them stays the same.
public enum MessageJSON {
    /// The JSON of `value`.
    ///
    /// - Throws: `EncodingError`, for a number that JSON has no text for.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// The value that `body` has the JSON of; members that `type` does not know are passed over.
    ///
    /// - Throws: `DecodingError` when it is none. Foundation bounds the depth (512), the caller the size.
    public static func decode<Value: Decodable>(_ type: Value.Type, from body: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }
}
