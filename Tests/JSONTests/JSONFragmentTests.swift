import Foundation
import JSON
import Testing

@Suite("A value as it is written")
struct JSONFragmentTests {
    private struct Letter<Content: Codable & Sendable>: Codable, Sendable {
        var content: Content
        var sender = "é"
    }

    @Test(
        "It is taken over as it stands, and written so",
        arguments: [
            "1", "-0.50", "true", "null", #""""#, #""a\"b""#, #""\u00e9 é""#, "[]", "[1, [2]]", "{}",
            #"{"b" : 1 , "a":{"c":[ null]}}"#,
        ])
    func passedOn(text: String) throws {
        let letter = Array(#"{"content":\#(text),"sender":"é"}"#.utf8)

        let read = try JSONCoding.decode(Letter<JSONFragment<JSONValue>>.self, from: letter)

        #expect(String(decoding: read.content.bytes, as: UTF8.self) == text)
        #expect(try JSONCoding.encode(read) == letter)
    }

    @Test("It is written like the value that it is of, and read as that")
    func ofValue() throws {
        let letter = Letter(content: ["b": 1, "a": 2])

        let fragment = try JSONFragment(letter.content)

        #expect(try JSONCoding.encode(Letter(content: fragment)) == JSONCoding.encode(letter))
        #expect(try fragment.value() == letter.content)
        #expect(throws: DecodingError.self) { try JSONFragment(letter).taken(as: Int.self).value() }
    }

    @Test("To whatever else codes it, it is the value")
    func otherCoders() throws {
        let fragment = try JSONFragment(["a": 2])

        let bytes = try JSONEncoder().encode(Letter(content: fragment))
        let read = try JSONDecoder().decode(Letter<JSONFragment<[String: Int]>>.self, from: bytes)

        #expect(read.content == fragment)
    }
}

extension JSONFragment {
    /// The same text, held for something else.
    fileprivate func taken<Other: Codable & Sendable>(as type: Other.Type) throws -> JSONFragment<Other> {
        try JSONCoding.decode(JSONFragment<Other>.self, from: bytes)
    }
}
