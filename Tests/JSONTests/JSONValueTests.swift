import Foundation
import JSON
import Testing

@Suite("JSON as a value")
struct JSONValueTests {
    @Test(
        "What is read is written again",
        arguments: [
            "null", "true", "9223372036854775807", "-1", "1.5", #""a\"b""#, #"[1,"x",null]"#, #"{"a":{"b":[{}]}}"#,
        ])
    func roundTrip(text: String) throws {
        let value = try JSONCoding.decode(JSONValue.self, from: Array(text.utf8))

        #expect(String(decoding: try JSONCoding.encode(value), as: UTF8.self) == text)
    }

    @Test(
        "A whole number that JavaScript would round becomes a text",
        arguments: [
            (9_007_199_254_740_992, JSONValue.integer(9_007_199_254_740_992)),
            (9_007_199_254_740_993, .string("9007199254740993")),
            (-9_007_199_254_740_993, .string("-9007199254740993")),
        ])
    func interoperable(number: Int, expected: JSONValue) {
        #expect(JSONValue.interoperable(Int64(number)) == expected)
    }
}
