import AttestGateway
import Foundation
import HTTP
import JSON
import Messages
import Testing

@Suite("The body of identify")
struct IdentifyBodyTests {
    static let minimal = ["appUserId": #""user_42""#, "bundleId": #""com.example.tunes""#]

    @Test("Everything that a phone says of itself is read")
    func complete() throws {
        let text = """
            {"appUserId":"user_42","bundleId":"com.example.tunes","installId":"1B7A","platform":"ios",
             "osVersion":"26.2","deviceModel":"iPhone17,2","locale":"en_US",
             "attributes":{"plan":"pro","age":42,"share":0.5,"beta":true,"old":null,"big":1e300}}
            """

        let body = try IdentifyBody(Array(text.utf8))

        let command = body.command(for: .tunes, trust: .unverified)
        #expect(body.install == "1B7A")
        #expect(
            command
                == UserIdentify(
                    organisation: "acme", app: "com.example.tunes", user: "user_42", platform: "ios",
                    osVersion: "26.2", deviceModel: "iPhone17,2", locale: "en_US",
                    attributes: [
                        "plan": .text("pro"), "age": .integer(42), "share": .number(0.5), "beta": .flag(true),
                        "old": .null, "big": .number(1e300),
                    ], trust: .unverified))
    }

    @Test("Ids are taken as they are: no trimming, no normalisation")
    func opaque() throws {
        let body = try IdentifyBody(Array(#"{"appUserId":" U\u0301ser/\n ","bundleId":"x"}"#.utf8))

        #expect(Array(body.user.rawValue.unicodeScalars) == Array(" U\u{301}ser/\n ".unicodeScalars))
    }

    @Test("Null, and an empty text where one may be absent, are as if nothing stood there")
    func absent() throws {
        let text = #"{"appUserId":"u","bundleId":"b","osVersion":"","locale":null,"installId":null,"attributes":null}"#

        let body = try IdentifyBody(Array(text.utf8))

        #expect(body.osVersion == nil && body.locale == nil && body.install == nil && body.attributes == nil)
    }

    @Test(
        "A platform other than ios and android is ignored, whatever it is",
        arguments: [#""web""#, "5", "{}", #""iOS""#])
    func platform(value: String) throws {
        let body = try IdentifyBody(Array(#"{"appUserId":"u","bundleId":"b","platform":\#(value)}"#.utf8))

        #expect(body.platform == nil)
    }

    @Test("Unknown members are passed over")
    func unknownMembers() throws {
        #expect(throws: Never.self) { try IdentifyBody(Array(#"{"appUserId":"u","bundleId":"b","x":[{"y":1}]}"#.utf8)) }
    }

    @Test("An id has 1 to 256 UTF-8 bytes", arguments: ["appUserId", "bundleId", "installId"], [256, 257])
    func identifierLength(field: String, count: Int) throws {
        // Two bytes a character: bytes count, not characters.
        let text = "\"\(String(repeating: "é", count: count / 2))\(count % 2 == 1 ? "x" : "")\""
        let bytes = body(Self.minimal, [field: text])

        if count <= 256 {
            #expect(throws: Never.self) { try IdentifyBody(bytes) }
        } else {
            #expect(refusal(of: bytes) == ["field_too_long", field])
        }
    }

    @Test("What a device says has at most 256 bytes", arguments: ["osVersion", "deviceModel", "locale"])
    func deviceLength(field: String) {
        #expect(throws: Never.self) { try IdentifyBody(body(Self.minimal, [field: letters(256)])) }
        #expect(
            refusal(of: body(Self.minimal, [field: letters(257)])) == ["field_too_long", field])
    }

    @Test("A required id that is missing, null or empty is named", arguments: ["appUserId", "bundleId"])
    func required(field: String) {
        #expect(refusal(of: body(Self.minimal, [field: nil])) == ["missing_member", field])
        #expect(refusal(of: body(Self.minimal, [field: "null"])) == ["missing_member", field])
        #expect(refusal(of: body(Self.minimal, [field: "\"\""])) == ["field_empty", field])
    }

    @Test(
        "A field of another type is named",
        arguments: ["appUserId", "bundleId", "installId", "osVersion", "deviceModel", "locale", "attributes"])
    func wrongType(field: String) {
        #expect(refusal(of: body(Self.minimal, [field: "[1]"])) == ["wrong_type", field])
        #expect(refusal(of: body(Self.minimal, [field: "1"])) == ["wrong_type", field])
        #expect(refusal(of: body(Self.minimal, [field: "true"])) == ["wrong_type", field])
    }

    @Test("Attributes that are not flat are refused, with the member's name", arguments: [#"{"b":1}"#, "[1]"])
    func notFlat(value: String) {
        let text = #"{"appUserId":"u","bundleId":"b","attributes":{"a":1,"x":\#(value)}}"#

        #expect(refusal(of: Array(text.utf8)) == ["wrong_type", "attributes.x"])
    }

    @Test("Two names that are one to whoever reads them are refused: one of the values would be lost")
    func lookalikes() {
        let text = "{\"appUserId\":\"u\",\"bundleId\":\"b\",\"attributes\":{\"\u{E9}\":1,\"e\u{301}\":2}}"

        #expect(refusal(of: Array(text.utf8)) == ["duplicate_member", "attributes.e\u{301}"])
    }

    @Test("A number that nobody could give back is refused")
    func hugeNumber() {
        let text = #"{"appUserId":"u","bundleId":"b","attributes":{"x":1e400}}"#

        #expect(refusal(of: Array(text.utf8)) == ["bad_value", "attributes.x"])
    }

    @Test("Attributes have at most 8192 bytes as sent, spaces and escapes included", arguments: [8191, 8192, 8193])
    func attributesLength(count: Int) {
        let frame = #"{ "k" : "" }"#.utf8.count
        let attributes = #"{ "k" : "\#(String(repeating: "x", count: count - frame))" }"#
        let text = #"{"appUserId":"u","bundleId":"b","attributes": \#(attributes) }"#

        if count <= 8192 {
            #expect(throws: Never.self) { try IdentifyBody(Array(text.utf8)) }
        } else {
            #expect(refusal(of: Array(text.utf8)) == ["field_too_long", "attributes"])
        }
    }

    @Test(
        "A text that is no acceptable JSON object is refused",
        arguments: [
            ("", ["unexpected_end"]), ("[]", ["wrong_type"]), ("{", ["unexpected_end"]), ("nul", ["unexpected_end"]),
            ("nope", ["unexpected_byte"]), (#"{"appUserId":"a"#, ["unexpected_end"]),
            (#"{"appUserId":"a","appUserId":"b","bundleId":"b"}"#, ["duplicate_member", "appUserId"]),
            (#"{"appUserId":"a\u0000","bundleId":"b"}"#, ["nul", "appUserId"]),
            (#"{"appUserId":"u","bundleId":"b","attributes":{"a":"\u0000"}}"#, ["nul", "attributes"]),
            (#"{"appUserId":"u","bundleId":"b"} x"#, ["trailing_bytes"]),
        ])
    func malformed(text: String, refusal expected: [String]) {
        #expect(refusal(of: Array(text.utf8)) == expected)
    }

    @Test("Nesting is taken up to 32", arguments: [32, 33])
    func depth(depth: Int) {
        // The object itself is one.
        let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
        let text = #"{"appUserId":"u","bundleId":"b","x":\#(nested)}"#

        if depth <= 32 {
            #expect(throws: Never.self) { try IdentifyBody(Array(text.utf8)) }
        } else {
            #expect(refusal(of: Array(text.utf8)) == ["too_deep", "x"])
        }
    }

    private func refusal(of bytes: [UInt8]) -> [String]? { refusalOfBody { _ = try IdentifyBody(bytes) } }
}

/// Code and field of the refusal that `parse` throws; nil if it throws none.
func refusalOfBody(_ parse: () throws -> Void) -> [String]? {
    do {
        try parse()
        return nil
    } catch let error as HTTPError {
        return [error.code] + (error.field.map { [$0] } ?? [])
    } catch let error as JSONError {
        return [error.problem.rawValue] + (error.path.flatMap { $0.isEmpty ? nil : [$0] } ?? [])
    } catch {
        return ["\(error)"]
    }
}
