/// The members of an object that is being written. The overloads of the protocol for texts and numbers that are not
/// here are all met by the one for any type.
struct JSONMembersWritten<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoding: JSONEncoding

    init(of encoding: JSONEncoding) { self.encoding = encoding }

    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil(forKey key: Key) { encoding.member(key) { $0.append(contentsOf: "null".utf8) } }
    func encode(_ value: Bool, forKey key: Key) { encoding.member(key) { $0.appendJSON(value) } }
    func encode(_ value: String, forKey key: Key) { encoding.member(key) { $0.appendJSON(value) } }
    func encode(_ value: Int, forKey key: Key) { encoding.member(key) { $0.appendJSON(value) } }
    func encode(_ value: Int64, forKey key: Key) { encoding.member(key) { $0.appendJSON(value) } }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoding.member(key, value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<
        Nested
    > {
        encoding.memberElsewhere(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoding.memberElsewhere(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoding.memberElsewhere(JSONKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { encoding.memberElsewhere(key) }
}

/// The elements of an array that is being written.
struct JSONElementsWritten: UnkeyedEncodingContainer {
    private let encoding: JSONEncoding

    init(of encoding: JSONEncoding) { self.encoding = encoding }

    var codingPath: [any CodingKey] { encoding.codingPath }
    var count: Int { encoding.elementCount }

    func encodeNil() { encoding.element { $0.append(contentsOf: "null".utf8) } }
    func encode(_ value: Bool) { encoding.element { $0.appendJSON(value) } }
    func encode(_ value: String) { encoding.element { $0.appendJSON(value) } }
    func encode(_ value: Int) { encoding.element { $0.appendJSON(value) } }
    func encode<Value: Encodable>(_ value: Value) throws { try encoding.element(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoding.elementElsewhere().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoding.elementElsewhere().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoding.elementElsewhere() }
}

/// A value that is no object and no array of its own.
struct JSONValueWritten: SingleValueEncodingContainer {
    let encoding: JSONEncoding

    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil() { encoding.scalar { $0.append(contentsOf: "null".utf8) } }
    func encode(_ value: Bool) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: String) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: Double) throws { try encoding.scalar { try $0.appendJSON(value, at: codingPath) } }
    func encode(_ value: Float) throws { try encoding.scalar { try $0.appendJSON(value, at: codingPath) } }
    func encode(_ value: Int) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: Int8) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: Int16) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: Int32) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: Int64) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: UInt) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: UInt8) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: UInt16) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: UInt32) { encoding.scalar { $0.appendJSON(value) } }
    func encode(_ value: UInt64) { encoding.scalar { $0.appendJSON(value) } }
    func encode<Value: Encodable>(_ value: Value) throws { try encoding.whole(value) }
}
