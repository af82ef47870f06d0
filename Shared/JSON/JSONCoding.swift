internal import FoundationEssentials

/// Codable behind the scanner: what is decoded has been checked, and what fails says where.
///
/// Dates are RFC 3339 texts. They are written in UTC with milliseconds and read with or without a fraction.
public enum JSONCoding {
    /// Checks the text and decodes a value from it.
    ///
    /// - Throws: ``JSONError`` with an offset if the text is not acceptable, with a path if a field is not.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> Value {
        try JSONScanner.check(bytes, limits: limits)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(date(from:))
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw JSONError(error)
        } catch {
            throw JSONError(.badValue, path: "")
        }
    }

    /// Writes a value with its members in alphabetical order, so that equal values give equal bytes.
    public static func encode(_ value: some Encodable) throws(JSONError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = JSONDate.text(of: date) else {
                throw EncodingError.invalidValue(
                    date, .init(codingPath: encoder.codingPath, debugDescription: "outside 1970 to 9999"))
            }
            try container.encode(text)
        }
        do {
            return Array(try encoder.encode(value))
        } catch EncodingError.invalidValue(_, let context) {
            throw JSONError(.unencodable, path: path(context.codingPath))
        } catch {
            throw JSONError(.unencodable, path: "")
        }
    }

    private static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        guard let date = JSONDate.date(from: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 date")
        }
        return date
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
