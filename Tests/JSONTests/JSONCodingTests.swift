import JSON
import Testing

@Suite("JSON coding")
struct JSONCodingTests {
    struct Order: Codable, Equatable {
        struct Item: Codable, Equatable {
            var name: String
            var amount: Int
        }
        enum Place: String, Codable { case here, there }
        var items: [Item]
        var place: Place
        var note: String?
    }

    @Test("A value comes back as it was written")
    func roundTrip() throws {
        let order = Order(items: [.init(name: "é/\u{1F600}", amount: .max)], place: .there)

        let bytes = try JSONCoding.encode(order)

        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"items":[{"amount":9223372036854775807,"name":"é/😀"}],"place":"there"}"#)
        #expect(try JSONCoding.decode(Order.self, from: bytes) == order)
    }

    @Test(
        "A field that is missing or wrong is named by its path",
        arguments: [
            (#"{"items":[]}"#, .missingMember, "place"),
            (#"{"items":[{"name":"a","amount":1},{"name":"b"}]}"#, .missingMember, "items[1].amount"),
            (#"{"items":[{"name":7,"amount":1}]}"#, .wrongType, "items[0].name"),
            (#"{"items":[{"name":"a","amount":null}]}"#, .wrongType, "items[0].amount"),
            (#"{"items":[{"name":"a","amount":1.5}]}"#, .badValue, "items[0].amount"),
            (#"{"items":[],"place":"now"}"#, .badValue, "place"),
            ("[]", .wrongType, ""),
        ] as [(String, JSONError.Problem, String)])
    func paths(text: String, problem: JSONError.Problem, path: String) {
        #expect(throws: JSONError(problem, path: path)) {
            try JSONCoding.decode(Order.self, from: Array(text.utf8))
        }
    }

    @Test("A text that is no JSON is refused with its offset before anything is decoded")
    func offset() {
        #expect(throws: JSONError(.duplicateMember, at: 12)) {
            try JSONCoding.decode(Order.self, from: Array(#"{"items":1,"items":2}"#.utf8))
        }
    }

    @Test("A number that is not finite cannot be written")
    func unencodable() {
        #expect(throws: JSONError(.unencodable, path: "a")) { try JSONCoding.encode(["a": Double.infinity]) }
    }

    @Test("Descriptions name the fault and quote nothing")
    func descriptions() {
        #expect("\(JSONError(.duplicateMember, at: 12))" == "JSON: duplicate member at byte 12")
        #expect("\(JSONError(.wrongType, path: "items[0].name"))" == "JSON: wrong type: items[0].name")
        #expect("\(JSONError(.wrongType, path: ""))" == "JSON: wrong type")
    }
}
