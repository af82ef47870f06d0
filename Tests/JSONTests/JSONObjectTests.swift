import JSON
import Testing

@Suite("JSON object")
struct JSONObjectTests {
    static let text = """
        { "id" : "2000\\u00e9", "price":1990, "half":0.5, "whole":2e3, "big":9007199254740993,
          "huge":1e400, "yes":true, "none":null, "names":[ "a" , "b\\"]" ], "mixed":["a",1], "\\u0061b":7 }
        """
    let object: JSONObject

    init() throws {
        object = try JSONObject(Array(Self.text.utf8))
    }

    @Test("Members are read with their types")
    func members() throws {
        #expect(try object.string("id") == "2000é")
        #expect(try object.integer("price") == 1990)
        #expect(try object.integer("whole") == 2000)
        #expect(try object.integer("big") == 9_007_199_254_740_993)
        #expect(try object.double("half") == 0.5)
        #expect(try object.boolean("yes") == true)
        #expect(try object.strings("names") == ["a", "b\"]"])
        #expect(try object.integer("ab") == 7)
    }

    @Test("Absent and null are both nil")
    func absent() throws {
        #expect(try object.string("none") == nil)
        #expect(try object.string("missing") == nil)
    }

    @Test("A number is there with every digit that was written")
    func asWritten() throws {
        #expect(try object.number(asWritten: "whole") == "2e3")
        #expect(try object.number(asWritten: "huge") == "1e400")
    }

    @Test("Another type is an error that names the member")
    func wrongType() {
        #expect(throws: JSONError(.wrongType, path: "price")) { try object.string("price") }
        #expect(throws: JSONError(.wrongType, path: "id")) { try object.integer("id") }
        #expect(throws: JSONError(.wrongType, path: "half")) { try object.integer("half") }
        #expect(throws: JSONError(.wrongType, path: "huge")) { try object.integer("huge") }
        #expect(throws: JSONError(.badValue, path: "huge")) { try object.double("huge") }
        #expect(throws: JSONError(.wrongType, path: "id")) { try object.boolean("id") }
        #expect(throws: JSONError(.wrongType, path: "id")) { try object.strings("id") }
        #expect(throws: JSONError(.wrongType, path: "mixed[1]")) { try object.strings("mixed") }
    }

    @Test("The range of a member is its value as written, found by the unescaped name")
    func range() throws {
        let bytes = Array(#"{"outer":{"id":1},"\u0069d" : { "a" : [1, 2] } , "t":"x\"y"}"#.utf8)

        let object = try JSONObject(bytes)
        let id = try #require(object.range(of: "id"))
        let text = try #require(object.range(of: "t"))

        #expect(String(decoding: bytes[id], as: UTF8.self) == #"{ "a" : [1, 2] }"#)
        #expect(String(decoding: bytes[text], as: UTF8.self) == #""x\"y""#)
        #expect(object.range(of: "a") == nil)
    }

    @Test("Something else than an object is refused", arguments: ["[]", "1", "\"{\"", "null"])
    func notAnObject(text: String) {
        #expect(throws: JSONError(.wrongType, path: "")) { try JSONObject(Array(text.utf8)) }
    }

    @Test(
        "What is JSON of a kind that is not taken is refused with its place and the member that it is in",
        arguments: [
            (#"{"a":1,"b":{"c":["\u0000"]}}"#, .nul, 18, "b"), (#"{"a":1,"b":"\ud800"}"#, .loneSurrogate, 12, "b"),
            (#"{"a":1,"b":[[[]]]}"#, .tooDeep, 13, "b"), (#"{"a":1,"b":2,"a":3}"#, .duplicateMember, 14, "a"),
            (#"{"a":1,"b":{"a":1,"a":2}}"#, .duplicateMember, 19, "b"),
            (#"{"\u00e9\n":"\u0000"}"#, .nul, 13, "é\n"),
        ] as [(String, JSONError.Problem, Int, String)])
    func namedMember(text: String, problem: JSONError.Problem, offset: Int, member: String) {
        #expect(throws: JSONError(problem, at: offset, in: member)) {
            try JSONObject(Array(text.utf8), limits: JSONLimits(depth: 3, bytes: 100))
        }
    }

    @Test("A name of one letter with thousands of marks is cut: what counts is what it takes, not what one sees")
    func longName() {
        let error = JSONError(.badValue, path: "e" + String(repeating: "\u{301}", count: 100_000))

        #expect(error.path?.unicodeScalars.count == 200)
    }

    @Test(
        "What is no JSON, or lies in no member, names none",
        arguments: [
            (#"{"a":01}"#, .badNumber, 5), (#"{"a":"b"#, .unexpectedEnd, 7), (#"{"a":1 1}"#, .unexpectedByte, 7),
            (#"{"a":1,"\u0000":2}"#, .nul, 8), (#"["\u0000"]"#, .nul, 2),
        ] as [(String, JSONError.Problem, Int)])
    func noMember(text: String, problem: JSONError.Problem, offset: Int) {
        #expect(throws: JSONError(problem, at: offset)) { try JSONObject(Array(text.utf8)) }
    }

    @Test("A NUL is read where it is allowed, and the objects within are asked again")
    func allowedNUL() throws {
        let bytes = Array(#"{"a":"x\u0000y","b":{"c":"\u0000"}}"#.utf8)

        let object = try JSONObject(bytes, allowsNUL: true)

        #expect(try object.string("a") == "x\0y")
        #expect(throws: JSONError(.nul, at: 6, in: "c")) { try object.object("b") }
        #expect(throws: JSONError(.controlCharacter, at: 6)) {
            try JSONObject(Array("{\"a\":\"\0\"}".utf8), allowsNUL: true)
        }
    }

    @Test("A flat object gives all its values, unescaped, numbers as written")
    func scalars() throws {
        let flat = try JSONObject(Array(#"{"a":"x\"y","\u0062":1.50,"c":true,"d":false,"e":null}"#.utf8))

        let scalars = try flat.scalars()

        #expect(scalars.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(
            scalars.map(\.value) == [.text("x\"y"), .number("1.50"), .boolean(true), .boolean(false), .null])
    }

    @Test("An array or object within an object that should be flat is named", arguments: [#"{"x":[]}"#, #"{"x":{}}"#])
    func notFlat(text: String) throws {
        let object = try JSONObject(Array(text.utf8))

        #expect(throws: JSONError(.wrongType, path: "x")) { try object.scalars() }
    }
}
