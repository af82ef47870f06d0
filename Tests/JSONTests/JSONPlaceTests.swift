import Foundation
import JSON
import Testing

@Suite("A value that reads itself where it stands")
struct JSONPlaceTests {
    /// What can be seen of a value in its place.
    private struct Seen: Decodable {
        var hasPlace = false
        var member: String?
        var only: String?
        var integer: Int64?

        init(from decoder: any Decoder) throws {
            guard let place = JSONPlace(decoder) else { return }
            hasPlace = true
            member = place.member("name")?.string
            only = place.onlyMember?.name
            integer = place.member("count")?.integer ?? place.integer
        }
    }

    @Test(
        "It sees members, texts and whole numbers, and nothing where there is something else",
        arguments: [
            (#"{"count":-9223372036854775808,"name":"a\n\u00e9"}"#, "a\né", nil, Int64.min),
            (#"{"name":"x"}"#, "x", "name", nil), (#"{"n\u0061me":""}"#, "", "name", nil),
            (#"{"name":1,"count":"1"}"#, nil, nil, nil), (#"{"count":9223372036854775808}"#, nil, "count", nil),
            (#"{"name":{"name":"deeper"}}"#, nil, "name", nil), ("{}", nil, nil, nil), ("[1]", nil, nil, nil),
            ("7", nil, nil, 7), (#""name""#, nil, nil, nil), (#"{"other":null}"#, nil, "other", nil),
        ] as [(String, String?, String?, Int64?)])
    func sight(text: String, member: String?, only: String?, integer: Int64?) throws {
        let seen = try JSONCoding.decode([Seen].self, from: Array("[0,\(text)]".utf8))[1]

        #expect(seen.hasPlace && seen.member == member && seen.only == only && seen.integer == integer)
    }

    @Test("Another decoder has no such places")
    func foreign() throws {
        #expect(try !JSONDecoder().decode(Seen.self, from: Data("{}".utf8)).hasPlace)
    }
}
