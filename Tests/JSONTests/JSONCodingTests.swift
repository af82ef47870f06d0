import Foundation
import JSON
import Testing

@Suite("JSON coding")
struct JSONCodingTests {
    struct Order: Codable, Equatable {
        struct Item: Codable, Equatable {
            var name: String
            var amount: Int
        }
        var items: [Item]
        var placedAt: Date
        var note: String?
    }

    @Test("A value comes back as it was written, dates to the millisecond")
    func roundTrip() throws {
        let order = Order(
            items: [.init(name: "é/\u{1F600}", amount: .max)], placedAt: Date(timeIntervalSince1970: 1_760_592_122.788))

        let bytes = try JSONCoding.encode(order)

        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"items":[{"amount":9223372036854775807,"name":"é/😀"}],"placedAt":"2025-10-16T05:22:02.788Z"}"#)
        let back = try JSONCoding.decode(Order.self, from: bytes)
        #expect(back.items == order.items)
        #expect(abs(back.placedAt.timeIntervalSince(order.placedAt)) < 0.000_001)
    }

    @Test("Every millisecond of a second survives being written, read, and written again")
    func milliseconds() throws {
        for millisecond in 0..<1_000 {
            let text = "[\"2025-10-16T05:22:02.\(String(millisecond + 1_000).dropFirst())Z\"]"

            let dates = try JSONCoding.decode([Date].self, from: Array(text.utf8))

            #expect(String(decoding: try JSONCoding.encode(dates), as: UTF8.self) == text)
        }
    }

    @Test(
        "Dates are read with and without fraction, in UTC and with an offset",
        arguments: [
            ("2025-10-16T05:22:02Z", 1_760_592_122.0), ("2025-10-16T05:22:02.5Z", 1_760_592_122.5),
            ("2025-10-16T07:22:02+02:00", 1_760_592_122), ("1970-01-01T00:00:00-01:30", 5_400),
            ("2024-02-29T00:00:00Z", 1_709_164_800), ("9999-12-31T23:59:59.999Z", 253_402_300_799.999),
            ("2000-03-01T00:00:00Z", 951_868_800), ("2025-10-16T05:22:02.788000Z", 1_760_592_122.788),
        ])
    func dates(text: String, seconds: Double) throws {
        let dates = try JSONCoding.decode([Date].self, from: Array("[\"\(text)\"]".utf8))

        #expect(abs(dates[0].timeIntervalSince1970 - seconds) < 0.000_001)
    }

    @Test(
        "What is no date is refused with its place",
        arguments: [
            "", "yesterday", "2025-10-16", "2025-13-01T00:00:00Z", "2025-10-16T05:22:02Zjunk", "2025-02-30T00:00:00Z",
            "2025-02-29T00:00:00Z", "2025-10-16T24:00:00Z", "2025-10-16T05:22:02", "2025-10-16T05:22:02.Z",
            "2025-10-16T05:22:02.1234567890Z", "1969-12-31T23:59:59Z", "2025-10-16T05:22:02+2:00",
            "+025-10-16T05:22:02Z", "２025-10-16T05:22:02Z",
        ])
    func noDate(text: String) {
        #expect(throws: JSONError(.badValue, path: "[0]")) {
            try JSONCoding.decode([Date].self, from: Array("[\"\(text)\"]".utf8))
        }
    }

    @Test(
        "A field that is missing or wrong is named by its path",
        arguments: [
            (#"{"items":[]}"#, .missingMember, "placedAt"),
            (#"{"items":[{"name":"a","amount":1},{"name":"b"}]}"#, .missingMember, "items[1].amount"),
            (#"{"items":[{"name":7,"amount":1}]}"#, .wrongType, "items[0].name"),
            (#"{"items":[{"name":"a","amount":null}]}"#, .wrongType, "items[0].amount"),
            (#"{"items":[{"name":"a","amount":1.5}]}"#, .badValue, ""),
            (#"{"items":[],"placedAt":"now"}"#, .badValue, "placedAt"),
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

    @Test("Days of four centuries are written as Foundation writes them")
    func calendar() throws {
        for day in stride(from: 0, to: 146_097 + 365, by: 61) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)

            let text = String(decoding: try JSONCoding.encode([date]), as: UTF8.self)

            #expect(text == "[\"\(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))\"]")
            #expect(try JSONCoding.decode([Date].self, from: Array(text.utf8)) == [date])
        }
    }

    @Test(
        "A date that has no RFC 3339 text cannot be written", arguments: [Date.distantPast, Date.distantFuture + 1e12])
    func unwritableDate(date: Date) {
        #expect(throws: JSONError(.unencodable, path: "at")) { try JSONCoding.encode(["at": date]) }
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
