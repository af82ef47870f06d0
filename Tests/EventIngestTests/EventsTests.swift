import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@testable import EventIngest

@Suite("Events")
struct EventsTests {
    static func event(
        _ name: String = "opened", id: String? = nil, at: Timestamp? = nil, sentAt: String? = nil,
        _ properties: [String: AttributeValue]? = nil
    ) -> SignpostEvent {
        SignpostEvent(name: EventName(rawValue: name), id: id, at: at, sentAt: sentAt, properties: properties)
    }

    @Test("An event is kept with what was said of it, when, and what is known of the caller")
    func kept() async throws {
        let rig = try await IngestRig()
        let at = IngestRig.noon - .seconds(60)

        _ = try await rig.record(
            [Self.event("opened", id: "e-1", at: at, sentAt: "1796039940000", ["a": .integer(1), "b": .null])],
            id: "message")

        let stored = try #require(try await rig.events().first)
        #expect(stored.name.rawValue == "opened" && stored.id == "e-1" && stored.user.rawValue == "ann")
        #expect(stored.at == at && stored.sentAt == "1796039940000" && stored.acceptedAt == IngestRig.noon)
        #expect(stored.properties == ["a": .integer(1), "b": .null] && stored.trust == .attested)
        #expect(stored.message.rawValue == "message")
    }

    @Test("A stranger's word on his own trust is not believed")
    func trust() async throws {
        let rig = try await IngestRig()

        _ = try await rig.record([Self.event()], from: .load, trust: .verified)

        #expect(try await rig.events().map(\.trust) == [.unverified])
    }

    @Test("Each event of a batch is judged by itself, a stranger's by the same rules")
    func verdicts() async throws {
        let rig = try await IngestRig()
        let long = String(repeating: "p", count: EventRules.mostPropertyBytes)

        let value = try await rig.record(
            [
                Self.event("good"), Self.event("Bad"), Self.event("rh_own"), Self.event("good", ["p": .text(long)]),
                Self.event("onboarding_step"), Self.event("good", id: ""), Self.event("good", id: "1"),
                Self.event("good", ["p": .text("a\u{0}b")]),
            ], from: .load)

        #expect(
            value.rejected.map { "\($0.index) \($0.code)" } == [
                "1 name_invalid", "2 name_reserved", "3 properties_too_long", "4 step_invalid", "5 id_invalid",
                "7 properties_nul",
            ])
        #expect(value.waiting == 2)
        #expect(try await rig.events().count == 2)
    }

    @Test("What an edge has measured as it was sent is not measured again", arguments: [true, false])
    func measured(isFromEdge: Bool) async throws {
        let rig = try await IngestRig()
        // 1e99 was sent in 4 bytes, and is longer as it is kept.
        let numbers = (0..<210).map { ("k\($0)", AttributeValue.number(1e99)) }
        let event = Self.event("good", Dictionary(uniqueKeysWithValues: numbers))

        let value = try await rig.record([event], from: isFromEdge ? BrokerUser(of: .attestGateway) : .load)

        #expect(value.rejected.map(\.code) == (isFromEdge ? [] : [.propertiesTooLong]))
    }

    @Test(
        "A repeat is the same event by its id, or else by its time as sent with name and properties; with neither it is not",
        arguments: [
            ([event(id: "1"), event(id: "1")], 1), ([event(id: "1"), event("other", id: "1")], 1),
            ([event(id: "1"), event(id: "2")], 2), ([event(), event()], 2),
            ([event(sentAt: "5"), event(sentAt: "5")], 1), ([event(sentAt: "5"), event(sentAt: "6")], 2),
            ([event(sentAt: "5"), event("other", sentAt: "5")], 2),
            ([event(sentAt: "5", ["a": .integer(1)]), event(sentAt: "5", ["a": .integer(2)])], 2),
            (
                [
                    event(sentAt: "5", ["a": .integer(1), "b": .null]),
                    event(sentAt: "5", ["b": .null, "a": .integer(1)]),
                ], 1
            ),
            ([event(sentAt: "5", [:]), event(sentAt: "5")], 1),
            ([event(at: IngestRig.noon), event(at: IngestRig.noon)], 1), ([event(id: "1"), event(sentAt: "1")], 2),
        ] as [([SignpostEvent], Int)])
    func repeats(events: [SignpostEvent], expected: Int) async throws {
        let together = try await IngestRig()
        _ = try await together.record(events)
        let apart = try await IngestRig()
        for event in events { _ = try await apart.record([event]) }
        for event in events where event.id != nil || event.sentAt != nil || event.at != nil {
            _ = try await apart.record([event])
        }

        #expect(try await together.events().count == expected)
        #expect(try await apart.events().count == expected)
    }

    @Test("The same id is another event for another user, and for another app")
    func others() async throws {
        let other = AppID(rawValue: "com.example.other")
        let rig = try await IngestRig(apps: [IngestRig.app, other])

        for user in ["ann", "bob"] { _ = try await rig.record([Self.event(id: "1")], of: user) }
        try await rig.settle(
            try Letter(
                EventsRecord(
                    organisation: IngestRig.organisation, app: other, user: AppUserID(rawValue: "ann"),
                    events: [Self.event(id: "1")], trust: .unverified), id: "m", at: IngestRig.noon, from: .load))

        #expect(try await rig.events().count == 3)
    }

    @Test(
        "Of two that are the same the one that was accepted last stays, whichever comes first",
        arguments: [true, false])
    func last(isInOrder: Bool) async throws {
        let rig = try await IngestRig()
        let early = IngestRig.noon - .seconds(10)
        let times = isInOrder ? [early, IngestRig.noon] : [IngestRig.noon, early]

        for time in times {
            _ = try await rig.record([Self.event(id: "1", at: IngestRig.noon + .seconds(5))], id: "m-\(time)", at: time)
        }

        #expect(try await rig.events().map(\.at) == [IngestRig.noon])
    }

    @Test("A message that comes again changes nothing, also without the inbox")
    func again() async throws {
        let rig = try await IngestRig()
        let events = [Self.event(), Self.event(sentAt: "5"), Self.event(id: "1")]

        _ = try await rig.record(events, id: "m")
        let value = try await rig.record(events, id: "m")

        #expect(value.repeated == 3 && value.stored == 0)
        #expect(try await rig.events().count == 3)
    }

    @Test("An app that is not known waits for its news")
    func unknownApp() async throws {
        let rig = try await IngestRig(apps: [])

        await #expect(throws: MessageFault.self) { _ = try await rig.record([Self.event()]) }
    }

    @Test(
        "A user without a name, or too many events at once, is a refusal",
        arguments: [
            ("", 1, "identifier_unacceptable"), ("a\u{0}", 1, "identifier_unacceptable"),
            (String(repeating: "u", count: 257), 1, "identifier_unacceptable"), ("ann", 51, "too_many_events"),
        ])
    func refused(user: String, count: Int, reason: String) async throws {
        let rig = try await IngestRig()
        let message = EventsRecord(
            organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: user),
            events: Array(repeating: Self.event(), count: count), trust: .unverified)

        #expect(try await rig.settle(try Letter(message, id: "m", at: IngestRig.noon, from: .load)) == reason)
        #expect(try await rig.events().isEmpty)
    }
}
