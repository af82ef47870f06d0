import Foundation
import JSON
import Testing

/// Stored bodies, digests and ids go back to Foundation's encoder: what is written now has to be the same bytes.
@Suite("JSON beside Foundation's")
struct JSONFoundationTests {
    struct Leaf: Codable, Equatable {
        var name: String
        var note: String?
        var double: Double
        var whole: Int64
        var small: UInt8
        var float: Float
        var flag: Bool?
        var id: UUID
        var data: Data
    }

    struct Tree: Codable, Equatable {
        struct Name: RawRepresentable, Codable, Hashable { var rawValue: String }
        var zebra: [Leaf]
        var attributes: [String: JSONValue]
        var name: Name
        var numbers: [Int: [Double?]]
        var byName: [Name: Int]
        var branches: [Tree]
    }

    @Test("A value is written in the same bytes, and read as there", arguments: UInt64(0)..<12)
    func bytes(seed: UInt64) throws {
        var values = RandomValues(seed: seed)
        let tree = values.tree(depth: 2)

        let bytes = try JSONCoding.encode(tree)

        #expect(bytes == (try Self.foundation(tree)))
        let (read, known) = (
            try JSONCoding.decode(Tree.self, from: bytes), try JSONDecoder().decode(Tree.self, from: Data(bytes))
        )
        #expect(read == known)
        #expect(
            try JSONCoding.decode(JSONValue.self, from: bytes)
                == (try JSONDecoder().decode(JSONValue.self, from: Data(bytes))))
    }

    @Test("Every character of the first thousand is written as it is there, and comes back")
    func characters() throws {
        let texts = (1..<1000).compactMap(Unicode.Scalar.init).map { "a\($0)\"\\/" }

        #expect(try JSONCoding.encode(texts) == (try Self.foundation(texts)))
        #expect(try JSONCoding.decode([String].self, from: JSONCoding.encode(texts)) == texts)
    }

    @Test("Numbers are written as they are there, and come back")
    func numbers() throws {
        let doubles: [Double] = [
            0, -0.0, 1, -1, 0.1, 1e15, 1e16, 1e17, 1e300, .leastNonzeroMagnitude, .pi, 2_147_483_648,
            9_007_199_254_740_992, 1e22, 1e-7,
            .greatestFiniteMagnitude,
        ]
        let integers = [Int64.min, .min + 1, -1, 0, 1, .max]

        #expect(try JSONCoding.encode(doubles) == (try Self.foundation(doubles)))
        #expect(try JSONCoding.decode([Double].self, from: JSONCoding.encode(doubles)) == doubles)
        #expect(try JSONCoding.encode(integers) == (try Self.foundation(integers)))
        #expect(try JSONCoding.decode([Int64].self, from: JSONCoding.encode(integers)) == integers)
    }

    @Test(
        "Whole numbers may be written with a fraction of nothing; what does not fit is refused",
        arguments: [
            ("1.0", 1), ("2e3", 2000), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9007199254740993.0", 9_007_199_254_740_993), ("922337203685477580.7e1", .max), ("-0.0e9", 0),
            ("1200e-2", 12), ("9223372036854775808.0", nil), ("9007199254740993.5", nil), ("1.0000000000000001", nil),
            ("1e99999999999999999999", nil), ("12e-2", nil),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.5", nil), ("1e400", nil), ("true", nil),
            ("null", nil), ("\"1\"", nil),
        ] as [(String, Int?)])
    func whole(text: String, expected: Int?) {
        #expect((try? JSONCoding.decode(Int.self, from: Array(text.utf8))) == expected)
    }

    @Test("Members and elements may be asked for in any order, and written out of order")
    func orders() throws {
        let value = Interleaved(first: "a", second: [1, 2], third: ["x": true], fourth: 4)

        let bytes = try JSONCoding.encode(value)

        #expect(bytes == (try Self.foundation(value)))
        #expect(try JSONCoding.decode(Interleaved.self, from: bytes) == value)
    }

    @Test("Names with escapes are found; names that are not asked for are passed over, however many there are")
    func names() throws {
        struct Asked: Codable, Equatable { var last: Int }
        let many = (0..<3_000).map { "\"n\($0)\":{\"deep\":[1,2,{}]}" }.joined(separator: ",")

        let read = try JSONCoding.decode(Asked.self, from: Array("{\(many),\"l\\u0061st\":7}".utf8))
        let all = try JSONCoding.decode([String: JSONValue].self, from: Array("{\(many)}".utf8))

        #expect(read == Asked(last: 7))
        #expect(all.count == 3_000)
    }

    private static func foundation(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}

/// Asks for containers within containers, and goes on with the outer ones before the inner ones are done.
private struct Interleaved: Codable, Equatable {
    enum Keys: String, CodingKey { case first, second, third, fourth, outer, list }
    var first: String
    var second: [Int]
    var third: [String: Bool]
    var fourth: Int

    init(first: String, second: [Int], third: [String: Bool], fourth: Int) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Keys.self)
        var inner = outer.nestedContainer(keyedBy: Keys.self, forKey: .outer)
        var list = outer.nestedUnkeyedContainer(forKey: .list)
        var element = list.nestedContainer(keyedBy: Keys.self)
        try outer.encode(fourth, forKey: .fourth)
        try inner.encode(second, forKey: .second)
        try list.encode("between")
        try element.encode(third, forKey: .third)
        try list.encodeNil()
        try inner.encode(first, forKey: .first)
        // The same container, asked for again.
        var again = encoder.container(keyedBy: Keys.self)
        try again.encode(first, forKey: .first)
    }

    init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: Keys.self)
        fourth = try outer.decode(Int.self, forKey: .fourth)
        let inner = try outer.nestedContainer(keyedBy: Keys.self, forKey: .outer)
        first = try inner.decode(String.self, forKey: .first)
        second = try inner.decode([Int].self, forKey: .second)
        var list = try outer.nestedUnkeyedContainer(forKey: .list)
        third = try list.nestedContainer(keyedBy: Keys.self).decode([String: Bool].self, forKey: .third)
        guard try list.decode(String.self) == "between", try list.decodeNil(), list.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: list, debugDescription: "another list")
        }
    }
}

private struct RandomValues {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 2 &+ 1 }

    private mutating func next(_ bound: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % bound
    }

    mutating func text() -> String {
        let characters = [
            "a", "Z", "é", "e\u{301}", "\u{1F600}", "\"", "\\", "/", "\n", "\u{7f}", "\u{2028}", "ß", " ",
        ]
        return (0..<next(9)).map { _ in characters[Int(next(UInt64(characters.count)))] }.joined()
    }

    mutating func value(depth: Int) -> JSONValue {
        switch next(depth > 0 ? 7 : 5) {
        case 0: .null
        case 1: .boolean(next(2) == 0)
        case 2: .integer(Int64(next(1 << 31)) - 1 << 30)
        case 3: .double(Double(next(1 << 31)) / 7)
        case 4: .string(text())
        case 5: .array((0..<next(4)).map { _ in value(depth: depth - 1) })
        default: .object(members(depth: depth - 1))
        }
    }

    mutating func members(depth: Int) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for _ in 0..<next(12) { members[text()] = value(depth: depth) }
        return members
    }

    mutating func tree(depth: Int) -> JSONFoundationTests.Tree {
        let leaves = (0..<next(3)).map { _ in
            JSONFoundationTests.Leaf(
                name: text(), note: next(2) == 0 ? nil : text(), double: Double(next(1 << 31)) / 3,
                whole: Int64(next(1 << 31)) << 31, small: UInt8(next(256)), float: Float(next(1 << 20)) / 3,
                flag: next(2) == 0 ? nil : true, id: UUID(),
                data: Data((0..<next(40)).map { UInt8(truncatingIfNeeded: $0 &* 37) }))
        }
        return JSONFoundationTests.Tree(
            zebra: leaves, attributes: members(depth: 2), name: .init(rawValue: text()),
            numbers: [Int(next(9)): [nil, 1.5, Double(next(100))], -7: []], byName: [.init(rawValue: text()): 3],
            branches: depth > 0 ? (0..<next(3)).map { _ in tree(depth: depth - 1) } : [])
    }
}
