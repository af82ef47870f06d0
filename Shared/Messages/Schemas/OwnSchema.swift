package import JSON

/// A type whose schema no decoder finds out: the values that JSON is made of, and what looks into the text it reads.
package protocol OwnSchema: Decodable {
    /// Its schema, and a value that fits it.
    static func read(in book: SchemaBook) throws -> (schema: JSONValue, value: Self)
    /// Under this name others refer to it; nil: it is written out everywhere.
    static var schemaName: String? { get }
}

extension OwnSchema {
    package static var schemaName: String? { nil }
}

extension Bool: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: Bool) { (["type": "boolean"], false) }
}
extension String: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: String) { (["type": "string"], "") }
}
extension Int: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: Int) { (["type": "integer"], 0) }
}
extension Int64: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: Int64) { (["type": "integer"], 0) }
}
extension UInt8: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: UInt8) {
        (["type": "integer", "minimum": 0, "maximum": 255], 0)
    }
}
extension UInt64: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: UInt64) {
        (["type": "integer", "minimum": 0], 0)
    }
}
extension Double: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: Double) { (["type": "number"], 0) }
}

extension Dictionary: OwnSchema where Key == String, Value: Decodable {
    package static func read(in book: SchemaBook) throws -> (schema: JSONValue, value: [String: Value]) {
        (["type": "object", "additionalProperties": try book.schema(of: Value.self)], [:])
    }
}

extension JSONValue: OwnSchema {
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: JSONValue) { ([:], .null) }
}

extension JSONFragment: OwnSchema {
    package static func read(in book: SchemaBook) throws -> (schema: JSONValue, value: Self) {
        let (schema, value) = try book.read(Value.self)
        return (schema, try JSONFragment(value))
    }
}

extension Timestamp: OwnSchema {
    package static let schemaName: String? = "Timestamp"
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: Timestamp) {
        (
            [
                "type": "string", "format": "date-time",
                "description": "RFC 3339, any offset; kept to the millisecond, and written in UTC with three decimals.",
            ], .distantPast
        )
    }
}

extension ClaimRank: OwnSchema {
    package static let schemaName: String? = "ClaimRank"
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: ClaimRank) {
        (
            [
                "type": "integer", "enum": .array(allCases.map { .integer(Int64($0.rawValue)) }),
                "description": .string(
                    "How strong a claim is: " + allCases.map { "\($0.rawValue) \($0)" }.joined(separator: ", ") + "."),
            ], .unverified
        )
    }
}

extension AttributeValue: OwnSchema {
    package static let schemaName: String? = "AttributeValue"
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: AttributeValue) {
        (["type": ["string", "number", "boolean", "null"]], .null)
    }
}

extension NumberSet: OwnSchema {
    package static let schemaName: String? = "NumberSet"
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: NumberSet) {
        let pair: JSONValue = [
            "type": "array", "items": ["type": "integer", "minimum": 1], "minItems": 2, "maxItems": 2,
        ]
        return (["type": "array", "items": pair, "description": "Ranges: [[1, 40], [42, 97]]."], NumberSet())
    }
}

extension Octets: OwnSchema {
    package static let schemaName: String? = "Octets"
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: Octets) {
        func only(_ member: JSONValue) -> JSONValue {
            ["type": "object", "properties": [member.string ?? "": ["type": "string"]], "required": [member]]
        }
        return (
            ["oneOf": [only("text"), only("base64")], "description": "Bytes: as text where they are UTF-8."],
            Octets([])
        )
    }
}

extension HeaderTable: OwnSchema {
    package static let schemaName: String? = "HeaderTable"
    package static func read(in book: SchemaBook) -> (schema: JSONValue, value: HeaderTable) {
        let entry: JSONValue = [
            "type": "object", "required": ["name", "value"],
            "properties": ["name": ["type": "string"], "value": ["type": "object"]],
        ]
        return (
            [
                "type": "object", "properties": ["entries": ["type": "array", "items": entry]],
                "required": ["entries"],
                "description": "AMQP headers in their order, each value under the name of its AMQP type.",
            ], HeaderTable()
        )
    }
}
