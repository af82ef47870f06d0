package import JSON

/// JSON schemas of Codable types, read off the types themselves: each is decoded from a decoder that hands out something
/// for whatever it is asked, and notes what that was. So a schema says what its type reads, and cannot say anything else.
///
/// ``OwnSchema`` has what this does not find out.
package final class SchemaBook {
    /// Under the names by which references mean them.
    package private(set) var schemas: [String: JSONValue] = [:]
    private var inProgress: Set<ObjectIdentifier> = []

    /// An empty one.
    package init() {}

    /// The schema of `type`: a reference, if it has a name.
    ///
    /// - Throws: whatever the type throws that cannot be made of empty values; such a one needs an ``OwnSchema``.
    package func schema<Value: Decodable>(of type: Value.Type) throws -> JSONValue { try read(type).schema }

    /// A schema and a value that fits it.
    func read<Value: Decodable>(_ type: Value.Type) throws -> (schema: JSONValue, value: Value) {
        if let own = type as? any OwnSchema.Type { return try own.known(to: self) }
        if let identifier = type as? any TextIdentifier.Type { return try identifier.known(to: self) }
        guard inProgress.insert(ObjectIdentifier(type)).inserted else { throw SchemaError.endless("\(type)") }
        defer { inProgress.remove(ObjectIdentifier(type)) }
        let notes = SchemaNotes()
        let value = try Value(from: RecordingDecoder(book: self, notes: notes))
        return (keep(notes.schema, as: notes.isObject ? Self.name(of: type) : nil), value)
    }

    /// Takes a schema down under its name, if it has one.
    fileprivate func keep(_ schema: JSONValue, as name: String?) -> JSONValue {
        guard let name else { return schema }
        schemas[name] = schema
        return ["$ref": "#/components/schemas/\(name)"]
    }

    /// `DeadPageGet.Value`: less the module.
    static func name(of type: Any.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
    }
}

/// Why a type has no schema.
enum SchemaError: Error {
    /// It holds itself, and would have to be handed out without end.
    case endless(String)
    /// It decodes in a way that no message uses; the first one that does has to be thought about.
    case unforeseen
}

extension OwnSchema {
    fileprivate static func known<Value>(to book: SchemaBook) throws -> (schema: JSONValue, value: Value) {
        let (schema, value) = try read(in: book)
        guard let value = value as? Value else { throw SchemaError.unforeseen }
        return (book.keep(schema, as: schemaName), value)
    }
}

extension TextIdentifier {
    fileprivate static func known<Value>(to book: SchemaBook) throws -> (schema: JSONValue, value: Value) {
        guard let value = Self(rawValue: "") as? Value else { throw SchemaError.unforeseen }
        let name = SchemaBook.name(of: Self.self)
        let description = SchemaVocabulary.meanings[name].map { ["description": JSONValue.string($0)] } ?? [:]
        return (book.keep(.object(["type": "string"].merging(description) { $1 }), as: name), value)
    }
}

/// What one value was asked for.
final class SchemaNotes {
    private var whole: JSONValue = [:]
    private var members: [String: JSONValue] = [:]
    private var optional: Set<String> = []
    private(set) var isObject = false

    func `is`(_ schema: JSONValue) { whole = schema }
    func hasMembers() { isObject = true }
    func has(_ member: String, _ schema: JSONValue) { members[member] = schema }
    func mayLack(_ member: String) { optional.insert(member) }

    var schema: JSONValue {
        guard isObject else { return whole }
        let required = members.keys.filter { !optional.contains($0) }.sorted()
        var schema: [String: JSONValue] = ["type": "object", "properties": .object(members)]
        if !required.isEmpty { schema["required"] = .array(required.map(JSONValue.string)) }
        return .object(schema)
    }
}
