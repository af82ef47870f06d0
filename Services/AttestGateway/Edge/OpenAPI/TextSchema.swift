internal import JSON

/// Schemas of what stands in bodies and paths, with the limits that ``FieldRules`` applies.
enum TextSchema {
    /// Has to be there, and not empty. What is counted are bytes, which no schema can say: for other letters than ASCII
    /// fewer fit.
    static func identifier(_ meaning: String, within bytes: Int = FieldRules.identifierBytes) -> JSONValue {
        [
            "type": "string", "minLength": 1, "maxLength": .integer(Int64(bytes)), "description": .string(meaning),
        ]
    }

    /// May be absent, null or empty: all the same.
    ///
    /// - Parameter bytes: nil: the whole body alone decides.
    static func optional(_ meaning: String, within bytes: Int?) -> JSONValue {
        var schema: [String: JSONValue] = ["type": ["string", "null"], "description": .string(meaning)]
        if let bytes { schema["maxLength"] = .integer(Int64(bytes)) }
        return .object(schema)
    }

    /// May be absent or null, but not empty.
    static func optionalIdentifier(_ meaning: String) -> JSONValue {
        [
            "type": ["string", "null"], "minLength": 1, "maxLength": .integer(Int64(FieldRules.identifierBytes)),
            "description": .string(meaning),
        ]
    }

    static func object(_ members: [String: JSONValue], required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(members),
            "required": .array(required.sorted().map(JSONValue.string)),
        ]
    }

    static func parameter(
        _ name: String, in place: String, _ schema: JSONValue, example: JSONValue? = nil
    ) -> JSONValue {
        var parameter: [String: JSONValue] = [
            "name": .string(name), "in": .string(place), "required": .boolean(place == "path"), "schema": schema,
        ]
        if let meaning = schema["description"] { parameter["description"] = meaning }
        if let example { parameter["example"] = example }
        return .object(parameter)
    }
}

extension JSONValue {
    /// With the members of `other` beside its own.
    func merging(_ other: JSONValue) -> JSONValue {
        guard case .object(let members) = self, case .object(let more) = other else { return self }
        return .object(members.merging(more) { $1 })
    }
}
