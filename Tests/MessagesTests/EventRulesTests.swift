import Messages
import Testing

@Suite("What makes an event good")
struct EventRulesTests {
    static let now = Timestamp(clamping: 1_796_040_000_000)

    static func name(_ text: String) -> EventName { EventName(rawValue: text) }

    @Test(
        "A name is snake_case of up to 48 letters, and does not begin with rh_",
        arguments: [
            ("a", nil), ("paywall_viewed", nil), ("a1_", nil), (String(repeating: "a", count: 48), nil), ("rh", nil),
            ("rha_b", nil), (String(repeating: "a", count: 49), .nameInvalid), ("", .nameInvalid),
            ("1a", .nameInvalid), ("_a", .nameInvalid), ("A", .nameInvalid), ("a-b", .nameInvalid),
            ("a b", .nameInvalid), ("é", .nameInvalid), ("a\u{0}", .nameInvalid), ("rh_", .nameReserved),
            ("rh_internal", .nameReserved),
        ] as [(String, EventFault?)])
    func names(text: String, expected: EventFault?) {
        #expect(EventRules.fault(of: SignpostEvent(name: Self.name(text))) == expected)
        #expect(Self.name(text).isGood == (expected == nil))
    }

    @Test(
        "An id has 1 to 256 bytes",
        arguments: [
            ("a", true), (String(repeating: "é", count: 128), true), ("", false), ("a\u{0}", false),
            (String(repeating: "a", count: 257), false),
        ])
    func ids(id: String, isGood: Bool) {
        let event = SignpostEvent(name: Self.name("a"), id: id)

        #expect(EventRules.fault(of: event) == (isGood ? nil : .idInvalid))
    }

    @Test(
        "No text that is kept has a NUL",
        arguments: [
            (nil, ["a": .text("b")], nil), (nil, ["a": .text("b\u{0}c")], .propertiesNUL),
            (nil, ["\u{0}": .null], .propertiesNUL), ("5", nil, nil), ("5\u{0}", nil, .timeInvalid),
        ] as [(String?, [String: AttributeValue]?, EventFault?)])
    func nul(sentAt: String?, properties: [String: AttributeValue]?, expected: EventFault?) {
        let event = SignpostEvent(name: Self.name("a"), sentAt: sentAt, properties: properties)

        #expect(EventRules.fault(of: event) == expected)
    }

    @Test(
        "An onboarding step has a step, an index of 0 to 99, and perhaps a value of up to 64 bytes",
        arguments: [
            (["step": .text("choose_plan"), "index": .integer(0)], nil),
            (["step": .text("choose_plan"), "index": .integer(99), "value": .text("annual")], nil),
            (["step": .text("choose_plan"), "index": .number(3), "value": .null], nil),
            (["step": .text("a"), "index": .integer(3), "value": .text(String(repeating: "v", count: 64))], nil),
            (["step": .text("a"), "index": .integer(3), "screen": .text("its own")], nil),
            ([:], .stepInvalid), (["step": .integer(1), "index": .integer(3)], .stepInvalid),
            (["step": .text("Choose"), "index": .integer(3)], .stepInvalid),
            (["step": .text(String(repeating: "a", count: 49)), "index": .integer(3)], .stepInvalid),
            (["step": .text("a")], .indexInvalid), (["step": .text("a"), "index": .integer(-1)], .indexInvalid),
            (["step": .text("a"), "index": .integer(100)], .indexInvalid),
            (["step": .text("a"), "index": .text("3")], .indexInvalid),
            (["step": .text("a"), "index": .number(3.5)], .indexInvalid),
            (["step": .text("a"), "index": .number(1e300)], .indexInvalid),
            (["step": .text("a"), "index": .integer(3), "value": .integer(1)], .valueInvalid),
            (
                ["step": .text("a"), "index": .integer(3), "value": .text(String(repeating: "v", count: 65))],
                .valueInvalid
            ),
        ] as [([String: AttributeValue], EventFault?)])
    func steps(properties: [String: AttributeValue], expected: EventFault?) {
        let event = SignpostEvent(name: .onboardingStep, properties: properties)

        #expect(EventRules.fault(of: event) == expected)
    }

    @Test(
        "A time lies within the 7 days before the message was accepted",
        arguments: [
            (nil, 0), (0, 0), (1, 0), (.max, 0), (-1, -1), (-604_800_000, -604_800_000),
            (-604_800_001, -604_800_000), (.min, -604_800_000),
        ] as [(Int64?, Int64)])
    func clamping(offset: Int64?, expected: Int64) {
        func time(_ offset: Int64) -> Timestamp {
            Timestamp(clamping: Self.now.millisecondsSince1970.addingReportingOverflow(offset).partialValue)
        }
        let sent = offset.map { $0 == .max ? .distantFuture : $0 == .min ? .distantPast : time($0) }

        #expect(EventRules.clamped(sent, acceptedAt: Self.now) == time(expected))
    }

    @Test("What has not the type that it should have spoils its event alone, and is told")
    func unreadable() throws {
        let body = """
            {"organisation":"acme","app":"a","user":"u","trust":"unverified","events":[{"name":"good"},{"name":1},{},7,
            {"name":"a","id":1},{"name":"a","at":"noon"},{"name":"a","sentAt":1},{"name":"a","properties":[]},
            {"name":"a","properties":{"b":{}}},{"name":"a","properties":{"b":null}}]}
            """

        let message = try MessageJSON.decode(EventsRecord.self, from: Array(body.utf8))

        #expect(
            message.events.map { EventRules.fault(of: $0) } == [
                nil, .nameInvalid, .nameInvalid, .nameInvalid, .idInvalid, .timeInvalid, .timeInvalid,
                .propertiesNotFlat, .propertiesNotFlat, nil,
            ])
    }

    @Test(
        "A time may be sent as ISO 8601 with or without fraction and offset, or in milliseconds",
        arguments: [
            ("2026-11-30T12:00:00Z", 1_796_040_000_000), ("2026-11-30T12:00:00.250Z", 1_796_040_000_250),
            ("2026-11-30T14:00:00+02:00", 1_796_040_000_000), ("2026-11-30T12:00:00", 1_796_040_000_000),
            ("2026-11-30T12:00:00.25", 1_796_040_000_250), ("2026-11-30", nil), ("2026-02-30T12:00:00", nil),
            ("noon", nil), ("", nil), ("1796040000000", nil), ("2026-11-30T12:00:00ZZ", nil),
        ] as [(String, Int64?)])
    func texts(text: String, expected: Int64?) {
        #expect(SentTime.read(text)?.millisecondsSince1970 == expected)
    }

    @Test(
        "A number means milliseconds, and never too much",
        arguments: [
            ("1796040000000", 1_796_040_000_000), ("1796040000000.7", 1_796_040_000_000),
            ("1.79604e12", 1_796_040_000_000),
            ("-1", -1), ("1e300", 253_402_300_799_999), ("-1e300", -62_135_596_800_000), ("1e999", nil), ("x", nil),
        ] as [(String, Int64?)])
    func numbers(text: String, expected: Int64?) {
        #expect(SentTime.read(number: text)?.millisecondsSince1970 == expected)
    }

    @Test("A full book refuses every name that is not in it")
    func book() {
        let names = (0..<EventName.budget).map { Self.name("name_\($0)") }
        var book = EventNameBook(organisation: .init(rawValue: "acme"), app: .init(rawValue: "a"))
        #expect(book.verdict(on: names[0], for: .unverified) == .unknown)
        #expect(book.verdict(on: Self.name("Bad"), for: .unverified) == .rejected)

        book.names = names.map { .init(name: $0, since: Self.now) }

        #expect(names.allSatisfy { book.verdict(on: $0, for: .unverified) == .accepted })
        #expect(book.verdict(on: Self.name("one_more"), for: .unverified) == .rejected)
    }
}
