/// Codable behind the scanner: what is decoded has been checked, and what fails says where.
///
/// It has no format for `Date`: what is coded says itself how its times are written.
public enum JSONCoding {
    /// Checks the text and decodes a value from it.
    ///
    /// - Throws: ``JSONError`` with an offset if the text is not acceptable, with a path if a field is not.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> Value {
        var reader = JSONReader(bytes, limits: limits, keepsTokens: true)
        try reader.read()
        do {
            return try JSONDecoding.value(type, bytes, reader.tokens)
        } catch let error as DecodingError {
            throw JSONError(error)
        } catch {
            throw JSONError(.badValue, path: "")
        }
    }

    /// Decodes a value that a program of ours has written: of any size, 512 deep, and with `\u0000` in texts, if it must be.
    ///
    /// - Throws: `DecodingError`.
    public static func decodeOwn<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        var reader = JSONReader(
            bytes, limits: JSONLimits(depth: 512, bytes: .max), keepsTokens: true, allowsNUL: true)
        do throws(JSONError) {
            try reader.read()
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: error.description, underlyingError: error))
        }
        return try JSONDecoding.value(type, bytes, reader.tokens)
    }

    /// Writes a value with its members in alphabetical order, so that equal values give equal bytes.
    public static func encode(_ value: some Encodable) throws(JSONError) -> [UInt8] {
        do {
            return try JSONEncoding.bytes(of: value)
        } catch EncodingError.invalidValue(_, let context) {
            throw JSONError(.unencodable, path: path(context.codingPath))
        } catch {
            throw JSONError(.unencodable, path: "")
        }
    }

    fileprivate static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}

extension JSONError {
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(.missingMember, path: JSONCoding.path(context.codingPath + [key]))
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(.wrongType, path: JSONCoding.path(context.codingPath))
        case .dataCorrupted(let context):
            self.init(.badValue, path: JSONCoding.path(context.codingPath))
        @unknown default:
            self.init(.badValue, path: "")
        }
    }
}
