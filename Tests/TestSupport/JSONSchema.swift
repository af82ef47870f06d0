package import JSON

/// As much of JSON Schema as our documents use, taken strictly: a member that a schema of an object does not know is a
/// fault too, so that nothing is left out of a document.
package struct JSONSchema {
    private let document: JSONValue

    /// - Parameter document: what references point into.
    package init(in document: JSONValue) { self.document = document }

    /// What is wrong with `value`, each with its path; empty: nothing.
    package func faults(of value: JSONValue, as schema: JSONValue, at path: String = "$") -> [String] {
        guard case .object(var rules) = schema else { return ["\(path): no schema"] }
        if let reference = rules["$ref"]?.string {
            guard let target = resolve(reference) else { return ["\(path): \(reference) leads nowhere"] }
            rules["$ref"] = nil
            let faults = self.faults(of: value, as: target, at: path)
            // What stands beside a reference refines it, and may leave members unsaid.
            return faults + (rules["properties"] == nil ? [] : refinements(of: value, rules, path))
        }
        if case .array(let choices) = rules["oneOf"] ?? rules["anyOf"] {
            // Beside members of the schema they only refine them.
            let faults = choices.map { choice -> [String] in
                guard rules["properties"] != nil, case .object(let inner) = choice else {
                    return self.faults(of: value, as: choice, at: path)
                }
                return refinements(of: value, inner, path)
            }
            guard faults.contains([]) else { return ["\(path): none of \(choices.count): \(faults)"] }
        }
        var faults: [String] = []
        if let type = rules["type"], !Self.types(type).contains(where: { Self.isA($0, value) }) {
            return ["\(path): \(value) is not \(Self.types(type))"]
        }
        if case .array(let values) = rules["enum"], !values.contains(value) {
            faults.append("\(path): not in \(values)")
        }
        if let constant = rules["const"], constant != value { faults.append("\(path): not \(constant)") }
        switch value {
        case .object(let members): faults += self.faults(of: members, rules, path)
        case .array(let elements):
            if let items = rules["items"] {
                faults += elements.enumerated().flatMap { self.faults(of: $1, as: items, at: "\(path)[\($0)]") }
            }
        case .string(let text):
            if case .integer(let least) = rules["minLength"], text.unicodeScalars.count < least {
                faults.append("\(path): too short")
            }
            if case .integer(let most) = rules["maxLength"], text.unicodeScalars.count > most {
                faults.append("\(path): too long")
            }
        default: break
        }
        return faults
    }

    /// What a JSON pointer in a fragment points to.
    package func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document) { value, part in
            value?[String(part.replacing("~1", with: "/").replacing("~0", with: "~"))]
        }
    }

    private func faults(of members: [String: JSONValue], _ rules: [String: JSONValue], _ path: String) -> [String] {
        var faults: [String] = []
        if case .array(let required) = rules["required"] {
            faults += required.compactMap(\.string).filter { members[$0] == nil }.map { "\(path).\($0) is missing" }
        }
        for (name, member) in members {
            if let schema = rules["properties"]?[name] ?? rules["additionalProperties"] {
                faults += self.faults(of: member, as: schema, at: "\(path).\(name)")
            } else if rules["properties"] != nil {
                faults.append("\(path).\(name) is not in the schema")
            }
        }
        return faults
    }

    private func refinements(of value: JSONValue, _ rules: [String: JSONValue], _ path: String) -> [String] {
        guard case .object(let members) = value, case .object(let properties) = rules["properties"] else { return [] }
        return members.flatMap { name, member in
            properties[name].map { property -> [String] in
                guard property["properties"] != nil, case .object(let inner) = property else {
                    return faults(of: member, as: property, at: "\(path).\(name)")
                }
                return refinements(of: member, inner, "\(path).\(name)")
            } ?? []
        }
    }

    private static func types(_ type: JSONValue) -> [String] {
        if case .array(let types) = type { types.compactMap(\.string) } else { [type.string ?? ""] }
    }

    private static func isA(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .integer), ("number", .double),
            ("string", .string), ("array", .array), ("object", .object):
            true
        default: false
        }
    }
}
