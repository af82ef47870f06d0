internal import JSON

/// Hands out something for whatever it is asked, and notes it.
struct RecordingDecoder: Decoder {
    let book: SchemaBook
    let notes: SchemaNotes
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        notes.hasMembers()
        return KeyedDecodingContainer(RecordingMembers(book: book, notes: notes))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { RecordingElements(book: book, notes: notes) }

    func singleValueContainer() -> any SingleValueDecodingContainer { RecordingValue(book: book, notes: notes) }
}

/// Of an object. The overloads for numbers and texts of the protocol are all met by the one for any type.
private struct RecordingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let book: SchemaBook
    let notes: SchemaNotes
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    /// Asked by `decodeIfPresent` alone: nobody asks whether a member is there that has to be.
    func contains(_ key: Key) -> Bool {
        notes.mayLack(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (schema, value) = try book.read(type)
        notes.has(key.stringValue, schema)
        return value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        throw SchemaError.unforeseen
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw SchemaError.unforeseen }
    func superDecoder() throws -> any Decoder { throw SchemaError.unforeseen }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw SchemaError.unforeseen }
}

/// Of an array: it has one element.
private struct RecordingElements: UnkeyedDecodingContainer {
    let book: SchemaBook
    let notes: SchemaNotes
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    private(set) var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 }

    init(book: SchemaBook, notes: SchemaNotes) {
        self.book = book
        self.notes = notes
    }

    func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (schema, value) = try book.read(type)
        notes.is(["type": "array", "items": schema])
        currentIndex += 1
        return value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        throw SchemaError.unforeseen
    }
    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw SchemaError.unforeseen }
    func superDecoder() throws -> any Decoder { throw SchemaError.unforeseen }
}

/// Of what is a value of another type, such as an identifier of its text.
private struct RecordingValue: SingleValueDecodingContainer {
    let book: SchemaBook
    let notes: SchemaNotes
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (schema, value) = try book.read(type)
        notes.is(schema)
        return value
    }
}
