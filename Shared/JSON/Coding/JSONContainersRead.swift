/// The members of an object that is being read. The overloads of the protocol for numbers that are not here are all met
/// by the one for any type.
final class JSONMembersRead<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoding: JSONDecoding
    private let object: Int
    /// The member after the one that was asked for last: members are mostly asked for as they are written. Not looked
    /// after at each access, as in `JSONEncoding`.
    @exclusivity(unchecked) private var likely: Int

    init(by decoding: JSONDecoding, object: Int) {
        self.decoding = decoding
        self.object = object
        likely = object + 1
    }

    var codingPath: [any CodingKey] { decoding.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        var name = object + 1
        while name < decoding.next(object) {
            if let key = Key(stringValue: decoding.name(name)) { keys.append(key) }
            name = decoding.next(name + 1)
        }
        return keys
    }

    /// The token of a member's value.
    private func find(_ key: Key) -> Int? {
        guard let name = decoding.member(key.stringValue, of: object, from: likely) else { return nil }
        likely = decoding.next(name + 1)
        return name + 1
    }

    private func value(_ key: Key) throws -> Int {
        guard let value = find(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "the member is missing"))
        }
        return value
    }

    private func unlessNull(_ key: Key) -> Int? {
        find(key).flatMap { decoding.isNull($0) ? nil : $0 }
    }

    func contains(_ key: Key) -> Bool {
        guard let name = decoding.member(key.stringValue, of: object, from: likely) else { return false }
        // It is asked for next.
        likely = name
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let value = try value(key)
        // It is asked for next.
        likely = value - 1
        return decoding.isNull(value)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let value = try value(key)
        return try decoding.at(key) { try decoding.string(value) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let value = try value(key)
        return try decoding.at(key) { try decoding.boolean(value) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let value = try value(key)
        return try decoding.at(key) { try decoding.integer(type, value) }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoding.value(type, try value(key), at: key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let value = unlessNull(key) else { return nil }
        return try decoding.at(key) { try decoding.string(value) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let value = unlessNull(key) else { return nil }
        return try decoding.value(type, value, at: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoding.apart(try value(key), at: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoding.apart(try value(key), at: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let name = decoding.member(JSONKey.super.stringValue, of: object, from: likely) else {
            throw DecodingError.keyNotFound(
                JSONKey.super, .init(codingPath: codingPath, debugDescription: "the member is missing"))
        }
        return decoding.apart(name + 1, at: JSONKey.super)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoding.apart(try value(key), at: key) }
}

/// The elements of an array that is being read.
struct JSONElementsRead: UnkeyedDecodingContainer {
    private let decoding: JSONDecoding
    private let end: Int
    private var token: Int
    let count: Int?
    private(set) var currentIndex = 0

    init(by decoding: JSONDecoding, array: Int) {
        self.decoding = decoding
        token = array + 1
        end = decoding.next(array)
        count = decoding.count(array)
    }

    var codingPath: [any CodingKey] { decoding.codingPath }
    var isAtEnd: Bool { token >= end }

    /// Goes on behind the element that `read` was given, if it could be read.
    private mutating func element<Value>(_ type: Any.Type, _ read: (Int, JSONKey) throws -> Value) throws -> Value {
        let key = JSONKey(index: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: codingPath + [key], debugDescription: "the array ends here"))
        }
        let value = try read(token, key)
        token = decoding.next(token)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, decoding.isNull(token) else {
            // Nothing was read, but asking beyond the end is an error.
            return isAtEnd ? try element(Any?.self) { _, _ in false } : false
        }
        return try element(Any?.self) { _, _ in true }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try element(type) { [decoding] token, key in try decoding.at(key) { try decoding.string(token) } }
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try element(type) { [decoding] token, key in try decoding.value(type, token, at: key) }
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
        -> KeyedDecodingContainer<Nested>
    {
        try element(type) { [decoding] token, key in try decoding.apart(token, at: key).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element([Any].self) { [decoding] token, key in try decoding.apart(token, at: key).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try element(Any.self) { [decoding] token, key in decoding.apart(token, at: key) }
    }
}

/// A value that is read as it stands.
struct JSONValueRead: SingleValueDecodingContainer {
    let decoding: JSONDecoding
    let token: Int

    var codingPath: [any CodingKey] { decoding.codingPath }

    func decodeNil() -> Bool { decoding.isNull(token) }
    func decode(_ type: Bool.Type) throws -> Bool { try decoding.boolean(token) }
    func decode(_ type: String.Type) throws -> String { try decoding.string(token) }
    func decode(_ type: Double.Type) throws -> Double { try decoding.floating(type, token) }
    func decode(_ type: Float.Type) throws -> Float { try decoding.floating(type, token) }
    func decode(_ type: Int.Type) throws -> Int { try decoding.integer(type, token) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoding.integer(type, token) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoding.integer(type, token) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoding.integer(type, token) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoding.integer(type, token) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoding.integer(type, token) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoding.integer(type, token) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoding.integer(type, token) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoding.integer(type, token) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoding.integer(type, token) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoding.value(type, token) }
}
