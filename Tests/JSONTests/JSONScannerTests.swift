import JSON
import Testing

@Suite("JSON scanner")
struct JSONScannerTests {
    @Test(
        "What RFC 8259 allows is accepted",
        arguments: [
            "{}", "[]", " \t\r\n{ \"a\" : [ 1 , -0.5e+10 , true , false , null ] } \n", "\"text\"", "0", "-0", "1E5",
            "\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\uD83D\\uDE00\"", "\"é € 😀 \u{7F}\"",
            "{\"a\":{\"a\":1},\"b\":{\"a\":2}}", "{\"\":1,\" \":2}", "123456789012345678901234567890",
        ])
    func accepted(text: String) throws {
        try JSONScanner.check(Array(text.utf8))
    }

    @Test(
        "What it does not allow is refused, with its name and place",
        arguments: [
            ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("{", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
            ("{\"a\":1} x", .trailingBytes, 8), ("{}{}", .trailingBytes, 2), ("[1,]", .unexpectedByte, 3),
            ("{\"a\":1,}", .unexpectedByte, 7), ("{a:1}", .unexpectedByte, 1), ("{\"a\" 1}", .unexpectedByte, 5),
            ("'a'", .unexpectedByte, 0), ("tru", .unexpectedEnd, 3), ("trux", .unexpectedByte, 0),
            ("NaN", .unexpectedByte, 0), ("01", .badNumber, 0), ("[-]", .badNumber, 1), ("1.", .badNumber, 0),
            (".5", .unexpectedByte, 0), ("1e", .badNumber, 0), ("+1", .unexpectedByte, 0), ("0x1", .trailingBytes, 1),
            ("\"a", .unexpectedEnd, 2), ("\"\\", .unexpectedEnd, 2), ("\"\\u12", .unexpectedEnd, 5),
            ("\"\\x\"", .badEscape, 1), ("\"\\u12G4\"", .badEscape, 1), ("\"a\nb\"", .controlCharacter, 2),
            ("\"\0\"", .controlCharacter, 1), ("\"\\u0000\"", .nul, 1), ("\"\\uD800\"", .loneSurrogate, 1),
            ("\"\\uDC00\"", .loneSurrogate, 1), ("\"\\uD800\\u0041\"", .loneSurrogate, 1),
            ("\u{FEFF}{}", .unexpectedByte, 0),
        ] as [(String, JSONError.Problem, Int)])
    func refused(text: String, problem: JSONError.Problem, offset: Int) {
        #expect(throws: JSONError(problem, at: offset)) { try JSONScanner.check(Array(text.utf8)) }
    }

    @Test(
        "Bytes that are no UTF-8 are refused",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82, 0x41],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]

        #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONScanner.check(text) }
    }

    @Test(
        "A name that occurs twice in one object is refused, however it is written",
        arguments: [
            "{\"a\":1,\"a\":2}", "{\"x\":[{\"a\":1,\"b\":0,\"a\":2}]}", "{\"a\":1,\"\\u0061\":2}",
            "{\"\\u0061\":1,\"a\":2}", "{\"é\":1,\"\\u00e9\":2}", "{\"\":1,\"\":2}",
        ])
    func duplicates(text: String) throws {
        let error = #expect(throws: JSONError.self) { try JSONScanner.check(Array(text.utf8)) }

        #expect(error?.problem == .duplicateMember)
    }

    @Test("A name that occurs twice is found among very many, first or last", arguments: [0, 31, 32, 33, 4_999])
    func duplicatesAmongMany(repeated: Int) {
        let members = (0..<5_000).map { "\"name\($0)\":\($0)" } + ["\"name\(repeated)\":0"]
        let text = Array("{\(members.joined(separator: ","))}".utf8)

        let error = #expect(throws: JSONError.self) { try JSONScanner.check(text) }

        #expect(error?.problem == .duplicateMember)
    }

    @Test("Depth is counted over arrays and objects, and the limit itself is allowed")
    func depth() throws {
        let limits = JSONLimits(depth: 4, bytes: 100)

        try JSONScanner.check(Array("[{\"a\":[{}]}]".utf8), limits: limits)
        #expect(throws: JSONError(.tooDeep, at: 8)) {
            try JSONScanner.check(Array("[{\"a\":[[[]]]}]".utf8), limits: limits)
        }
    }

    @Test("A hundred thousand open brackets are refused, not recursed into")
    func manyBrackets() {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)

        #expect(throws: JSONError(.tooDeep, at: 512)) {
            try JSONScanner.check(text, limits: JSONLimits(depth: 1_000_000))
        }
    }

    @Test("A text one byte longer than allowed is refused before it is read")
    func size() throws {
        try JSONScanner.check(Array("[  ]".utf8), limits: JSONLimits(bytes: 4))
        #expect(throws: JSONError(.tooLarge, at: 4)) {
            try JSONScanner.check(Array("[   ]".utf8), limits: JSONLimits(bytes: 4))
        }
    }

    @Test("Every prefix of a text is refused")
    func truncation() {
        let text = Array("{\"a\":[1.5e3,\"\\uD83D\\uDE00é\",true,null],\"b\":{\"c\":-0}}".utf8)

        for count in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONScanner.check(Array(text.prefix(count))) }
        }
    }

    @Test("Random changes of a text never trap, and what is accepted also decodes", arguments: [1, 2, 3] as [UInt64])
    func randomChanges(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let text = Array("{\"a\":[1.5e3,\"\\uD83D\\uDE00é\",true,null],\"b\":{\"c\":-0},\"d\":\"x\"}".utf8)

        for _ in 0..<2_000 {
            var changed = text
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let object = try? JSONObject(changed) else { continue }
            for name in object.names {
                _ = try? object.string(name)
                _ = try? object.strings(name)
                _ = try? object.integer(name)
            }
            let members = try JSONCoding.decode([String: Anything].self, from: changed)
            #expect(members.count == object.names.count, "seed \(seed): \(changed)")
        }
    }
}

private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {}
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
