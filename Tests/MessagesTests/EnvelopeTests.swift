import Foundation
import Messages
import TestSupport
import Testing

@Suite("Envelope")
struct EnvelopeTests {
    static let time = Timestamp(clamping: 1_796_026_500_250)

    private func envelope(_ headers: [(String, HeaderValue)] = []) -> Envelope {
        var properties = MessageProperties()
        properties.headers = HeaderTable(headers.map { HeaderTable.Entry(name: $0.0, value: $0.1) })
        return Envelope(properties: properties, body: [])
    }

    @Test("What is set is read again, and travels as property or header of the interface")
    func accessors() {
        var envelope = Envelope(kind: "a.b.v1", id: MessageID(rawValue: "id"), body: [1])
        envelope.key = "acme/42"
        envelope.acceptedAt = Self.time
        envelope.cause = MessageID(rawValue: "cause")
        envelope.by = "jane"
        envelope.traceparent = "00-a-b-01"
        envelope.attempt = 3
        envelope.firstFailure = Self.time
        envelope.generation = 2
        envelope.forwards = 1
        envelope.sequence = PublisherNumber(publisher: PublisherID(rawValue: "p:1"), number: 7)
        envelope.firstUser = "stranger"

        #expect(envelope.kind == "a.b.v1")
        #expect(envelope.id == MessageID(rawValue: "id"))
        #expect(envelope.key == "acme/42")
        #expect(envelope.acceptedAt == Self.time)
        #expect(envelope.cause == MessageID(rawValue: "cause"))
        #expect(envelope.by == "jane")
        #expect(envelope.traceparent == "00-a-b-01")
        #expect(envelope.attempt == 3)
        #expect(envelope.firstFailure == Self.time)
        #expect(envelope.generation == 2)
        #expect(envelope.forwards == 1)
        #expect(envelope.sequence == PublisherNumber(publisher: PublisherID(rawValue: "p:1"), number: 7))
        #expect(envelope.firstUser == "stranger")

        #expect(envelope.properties.type == "a.b.v1")
        #expect(envelope.properties.messageID == "id")
        #expect(envelope.properties.contentType == "application/json")
        #expect(envelope.properties.deliveryMode == 2)
        let headers = envelope.properties.headers.entries.map { ($0.name, $0.value) }
        #expect(
            Dictionary(uniqueKeysWithValues: headers) == [
                "key": .text("acme/42"), "accepted_at": .text("2026-11-30T08:15:00.250Z"), "cause": .text("cause"),
                "by": .text("jane"),
                "traceparent": .text("00-a-b-01"), "attempt": .int64(3),
                "first_failure": .text("2026-11-30T08:15:00.250Z"), "generation": .int64(2), "forwards": .int64(1),
                "publisher": .text("p:1"), "seq": .int64(7), "first_user": .text("stranger"),
            ])
    }

    @Test("What is set to nil is gone")
    func removal() {
        var envelope = Envelope(kind: "a.b.v1", id: MessageID(rawValue: "id"), body: [])
        envelope.key = "k"
        envelope.acceptedAt = Self.time
        envelope.sequence = PublisherNumber(publisher: PublisherID(rawValue: "p:1"), number: 7)

        envelope.kind = nil
        envelope.id = nil
        envelope.key = nil
        envelope.acceptedAt = nil
        envelope.sequence = nil

        var expected = MessageProperties()
        expected.contentType = "application/json"
        expected.deliveryMode = 2
        #expect(envelope.properties == expected)
    }

    @Test(
        "The kind is the type, or a header for tools that cannot set it; empty ones are none, and those that no type holds"
    )
    func kind() {
        var both = envelope([("kind", .text("header.v1"))])
        #expect(both.kind == "header.v1")
        both.properties.type = ""
        #expect(both.kind == "header.v1")
        both.properties.type = "type.v1"
        #expect(both.kind == "type.v1")

        #expect(envelope().kind == nil)
        #expect(envelope([("kind", .text(""))]).kind == nil)
        let longest = String(repeating: "k", count: 255)
        #expect(envelope([("kind", .text(longest))]).kind == MessageKind(rawValue: longest))
        #expect(envelope([("kind", .text(longest + "k"))]).kind == nil)
        #expect(envelope([("kind", .bytes([0x61]))]).kind == nil)
    }

    @Test("An empty id is none, any other text is one")
    func id() {
        var envelope = envelope()
        envelope.properties.messageID = ""
        #expect(envelope.id == nil)
        envelope.properties.messageID = "no uuid"
        #expect(envelope.id == MessageID(rawValue: "no uuid"))
    }

    @Test(
        "Counters from strangers stay within what can still be raised",
        arguments: [
            (.int64(.max), 1_000_000), (.uint64(.max), 0), (.int64(.min), 0), (.int8(-1), 0), (.int8(5), 5),
            (.uint8(5), 5), (.int16(5), 5), (.uint16(5), 5), (.int32(5), 5), (.uint32(5), 5), (.uint64(5), 5),
            (.uint32(.max), 1_000_000), (.text("5"), 0), (.double(0x4014_0000_0000_0000), 0), (.void, 0),
            (.boolean(true), 0), (.array([.int8(5)]), 0),
        ] as [(HeaderValue, Int)])
    func counters(value: HeaderValue, expected: Int) {
        let envelope = envelope([("attempt", value), ("generation", value), ("forwards", value)])

        #expect(envelope.attempt == expected)
        #expect(envelope.generation == expected)
        #expect(envelope.forwards == expected)
    }

    @Test(
        "A number without a publisher, or below 1, is none",
        arguments: [
            [("publisher", .text("p"))], [("seq", .int64(1))], [("publisher", .text("")), ("seq", .int64(1))],
            [("publisher", .text("p")), ("seq", .int64(0))], [("publisher", .text("p")), ("seq", .int64(-1))],
            [("publisher", .text("p")), ("seq", .text("1"))], [("publisher", .int8(1)), ("seq", .int64(1))],
            [("publisher", .text("p")), ("seq", .uint64(.max))],
        ] as [[(String, HeaderValue)]])
    func noSequence(headers: [(String, HeaderValue)]) {
        #expect(envelope(headers).sequence == nil)
    }

    @Test(
        "A time that is none is not there",
        arguments: [.text("yesterday"), .timestamp(1_796_026_500), .void] as [HeaderValue])
    func times(value: HeaderValue) {
        #expect(envelope([("accepted_at", value)]).acceptedAt == nil)
        #expect(envelope([("first_failure", value)]).firstFailure == nil)
    }

    @Test("A header that stands there twice is read as the first, and set once for all readers")
    func duplicates() {
        var envelope = envelope([
            ("first_user", .text("a")), ("x", .void), ("first_user", .text("b")), ("first_user", .text("c")),
        ])
        #expect(envelope.firstUser == "a")

        envelope.firstUser = "d"

        #expect(
            envelope.properties.headers.entries == [
                HeaderTable.Entry(name: "first_user", value: .text("d")), HeaderTable.Entry(name: "x", value: .void),
            ])
    }

    @Test("Properties with any header survive JSON, in which dead letters are kept", arguments: UInt64(1)...30)
    func json(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var properties = MessageProperties()
        properties.headers = Self.table(depth: 3, using: &random)
        properties.priority = UInt8.random(in: 0...255, using: &random)
        properties.timestamp = UInt64.random(in: 0...UInt64.max, using: &random)
        properties.replyTo = Bool.random(using: &random) ? "replies.é" : nil
        properties.expiration = Bool.random(using: &random) ? "0" : nil
        properties.userID = Bool.random(using: &random) ? "" : nil

        let written = try MessageJSON.encode(properties)
        let read = try MessageJSON.decode(MessageProperties.self, from: written)

        #expect(read == properties, "seed \(seed)")
        #expect(try JSONDecoder().decode(MessageProperties.self, from: Data(written)) == properties, "seed \(seed)")
    }

    private static func table(depth: Int, using random: inout SeededGenerator) -> HeaderTable {
        HeaderTable(
            (0..<Int.random(in: 0...8, using: &random)).map { _ in
                HeaderTable.Entry(
                    name: ["a", "b", "", "é", "x-death"].randomElement(using: &random) ?? "",
                    value: value(depth: depth, using: &random))
            })
    }

    private static func value(depth: Int, using random: inout SeededGenerator) -> HeaderValue {
        let bits = random.next()
        let bytes = (0..<Int.random(in: 0...5, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        switch Int.random(in: 0...(depth > 0 ? 18 : 16), using: &random) {
        case 0: return .boolean(bits & 1 == 0)
        case 1: return .int8(Int8(truncatingIfNeeded: bits))
        case 2: return .uint8(UInt8(truncatingIfNeeded: bits))
        case 3: return .int16(Int16(truncatingIfNeeded: bits))
        case 4: return .uint16(UInt16(truncatingIfNeeded: bits))
        case 5: return .int32(Int32(truncatingIfNeeded: bits))
        case 6: return .uint32(UInt32(truncatingIfNeeded: bits))
        case 7: return .int64(Int64(bitPattern: bits))
        case 8: return .uint64(bits)
        case 9: return .float(UInt32(truncatingIfNeeded: bits))
        case 10: return .double(bits)
        case 11: return .decimal(scale: UInt8(truncatingIfNeeded: bits), value: UInt32(truncatingIfNeeded: bits >> 8))
        case 12: return .text(String(decoding: bytes, as: UTF8.self))
        case 13: return .octets(bytes)
        case 14: return .bytes(bytes)
        case 15: return .timestamp(bits)
        case 16: return .void
        case 17: return .array((0..<3).map { _ in value(depth: depth - 1, using: &random) })
        default: return .table(table(depth: depth - 1, using: &random))
        }
    }
}
