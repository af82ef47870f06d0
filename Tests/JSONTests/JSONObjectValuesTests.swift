import JSON
import Testing

@Suite("An object as a value")
struct JSONObjectValuesTests {
    @Test("Everything in it is there, as it was written")
    func everything() throws {
        let text = #"""
             { "a" : [ ] , "b":[1, -2.5 ,true,false,null, "x" ,{}, [[ ]]],"c\u00e9\/":{"d" : { "e":"\"\\\ud83d\ude00" } } }
            """#

        let values = try JSONObject(Array(text.utf8)).values

        #expect(
            values == [
                "a": .array([]),
                "b": .array([
                    .integer(1), .double(-2.5), .boolean(true), .boolean(false), .null, .string("x"), .object([:]),
                    .array([.array([])]),
                ]),
                "cé/": .object(["d": .object(["e": .string("\"\\😀")])]),
            ])
    }

    @Test(
        "Numbers that JavaScript cannot hold are texts",
        arguments: [
            ("9007199254740992", .integer(9_007_199_254_740_992)), ("9007199254740993", .string("9007199254740993")),
            ("-9007199254740993", .string("-9007199254740993")), ("0", .integer(0)), ("-1", .integer(-1)),
            ("123456789012345678901234567890", .string("123456789012345678901234567890")),
            ("1697679936056.485", .double(1_697_679_936_056.485)), ("2e3", .double(2000)), ("1e999", .string("1e999")),
        ] as [(String, JSONValue)])
    func numbers(text: String, value: JSONValue) throws {
        #expect(try JSONObject(Array("{\"n\":\(text)}".utf8)).values == ["n": value])
    }

    @Test("The decoder reads the same", arguments: [#"{"a":{"b":[1,{"c":null}]},"d":"\n","e":1.5}"#, "{}", " { } "])
    func decoder(text: String) throws {
        let bytes = Array(text.utf8)

        #expect(try JSONObject(bytes).values == JSONCoding.decode([String: JSONValue].self, from: bytes))
    }

    @Test("As deep as the reader goes")
    func deep() throws {
        let text = String(repeating: #"{"a":"#, count: 511) + "{}" + String(repeating: "}", count: 511)

        var value = JSONValue.object(try JSONObject(Array(text.utf8), limits: JSONLimits(depth: 512)).values)

        var depth = 0
        while let inner = value["a"] { (value, depth) = (inner, depth + 1) }
        #expect(depth == 511)
    }

    @Test("An object in it is read like the whole; anything else there is of the wrong type")
    func nested() throws {
        let object = try JSONObject(Array(#"{"a":{"b":"c","n":1},"d":[],"e":null}"#.utf8))

        #expect(try object.object("a")?.string("b") == "c")
        #expect(try object.object("e")?.names == nil)
        #expect(try object.object("f")?.names == nil)
        #expect(throws: JSONError(.wrongType, path: "d")) { try object.object("d") }
    }

    @Test("The elements of an array are the texts that they are, whatever is in them")
    func elements() throws {
        let text =
            #"{"a" : [ {"b":["]",{"c":"\"}"}] } ,1,"x, ]\\", null ,[ [ ] ],-1.5e3], "none":null, "empty":[ ], "no":{}}"#
        let object = try JSONObject(Array(text.utf8))

        let elements = try object.elements("a")?.map { String(decoding: $0, as: UTF8.self) }

        #expect(
            elements == [#"{"b":["]",{"c":"\"}"}] }"#, "1", #""x, ]\\""#, "null", "[ [ ] ]", "-1.5e3"])
        #expect(try object.elements("none") == nil)
        #expect(try object.elements("missing") == nil)
        #expect(try object.elements("empty")?.isEmpty == true)
        #expect(throws: JSONError(.wrongType, path: "no")) { try object.elements("no") }
    }
}
