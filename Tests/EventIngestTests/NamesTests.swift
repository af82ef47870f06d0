import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import TestSupport
import Testing

@testable import EventIngest

@Suite("Names of events")
struct NamesTests {
    static func name(_ number: Int) -> EventName { EventName(rawValue: "name_\(number)") }

    static func claim(
        _ names: [EventName], by trust: Trust? = nil, id: String = UUID().uuidString,
        at time: Timestamp = IngestRig.noon
    ) throws -> Letter {
        try Letter(
            EventNameClaim(organisation: IngestRig.organisation, app: IngestRig.app, names: names, trust: trust),
            id: id, at: time, from: BrokerUser(of: .attestGateway))
    }

    static func release(_ names: [EventName], id: String = UUID().uuidString, at time: Timestamp) throws -> Letter {
        try Letter(
            EventNameRelease(organisation: IngestRig.organisation, app: IngestRig.app, names: names), id: id, at: time,
            from: .operatorTool)
    }

    static func rule(_ claims: Trust?, id: String = UUID().uuidString, at time: Timestamp) throws -> Letter {
        try Letter(
            EventNameRule(organisation: IngestRig.organisation, app: IngestRig.app, claims: claims), id: id, at: time,
            from: .operatorTool)
    }

    static func value(_ answer: String) throws -> EventNameClaim.Value {
        try MessageJSON.decode(EventNameClaim.Value.self, from: Array(answer.utf8))
    }

    @Test("The first 32 names are the app's; a refused one uses none of the budget")
    func budget() async throws {
        let rig = try await IngestRig()
        let bad = EventName(rawValue: "Bad")

        let first = try Self.value(try await rig.settle(Self.claim((0..<31).map(Self.name) + [bad])))
        let second = try Self.value(try await rig.settle(Self.claim([99, 98, 3].map(Self.name))))

        #expect(first.accepted.count == 31 && first.rejected == [bad])
        #expect(second.accepted == [99, 3].map(Self.name) && second.rejected == [98].map(Self.name))
        #expect(second.book.names.count == 32 && second.book.isFull)
        #expect(try await rig.books().map(\.names.count) == [32])
    }

    @Test("The same claim again says the same, and tells nobody anything")
    func again() async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(Self.claim([1, 2].map(Self.name)))

        let followers = try await rig.apply([Self.claim([2, 1].map(Self.name))], in: 0)

        #expect(followers.isEmpty)
        #expect(try await rig.books()[0].names.map(\.name) == [1, 2].map(Self.name))
    }

    @Test("A claim that changes nothing needs no commit; one that does is not answered without")
    func settled() async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(Self.claim((0..<31).map(Self.name)))
        func settled(_ names: [Int]) async throws -> EventNameClaim.Value? {
            let claim = EventNameClaim(
                organisation: IngestRig.organisation, app: IngestRig.app, names: names.map(Self.name))
            let context = MessageContext(
                id: MessageID(rawValue: "m"), kind: EventNameClaim.kind, bucket: claim.bucket,
                acceptedAt: IngestRig.noon, now: IngestRig.noon, author: BrokerUser(of: .attestGateway))
            let verdict = try await rig.partitions[0].read { [measures = rig.measures] in
                try ClaimNames(measures: measures).settled(claim, context, in: $0)
            }
            if case .applied(let value)? = verdict { return value }
            return nil
        }

        #expect(try await settled([3, 30])?.accepted == [3, 30].map(Self.name))
        #expect(try await settled([3, 31]) == nil)
        _ = try await rig.settle(Self.claim([31].map(Self.name)))
        #expect(try await settled([3, 32])?.rejected == [32].map(Self.name))
    }

    @Test("Events of a name that is not known here are out of sight until the app's partition has judged it")
    func waiting() async throws {
        let rig = try await IngestRig()
        let record = try Letter(
            EventsRecord(
                organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: "ann"),
                events: [EventsTests.event(id: "1"), EventsTests.event(id: "2")], trust: .unverified),
            id: "m", at: IngestRig.noon, from: .load)

        let proposals = try await rig.apply([record], in: 0)
        #expect(try await rig.events().isEmpty)
        #expect(try await rig.waiting() == 2)
        let again = try await rig.apply([record], in: 0)
        #expect(again.isEmpty, "a name is proposed once")
        #expect(proposals.map(\.kind) == [EventNamePropose.kind])
        for proposal in proposals { try await rig.settle(proposal) }

        #expect(try await rig.events().map(\.id).sorted { $0 ?? "" < $1 ?? "" } == ["1", "2"])
        #expect(try await rig.waiting() == 0)
    }

    @Test("Events of a name that is refused are dropped and counted, whether they waited for it or not")
    func dropped() async throws {
        let rig = try await IngestRig()
        let late = EventsTests.event("late")
        let record = try Letter(
            EventsRecord(
                organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: "ann"),
                events: [late], trust: .unverified), id: "m", at: IngestRig.noon, from: .load)
        let proposals = try await rig.apply([record], in: 0)
        _ = try await rig.settle(Self.claim((0..<32).map(Self.name)))
        #expect(try await rig.waiting() == 0)
        for proposal in proposals { try await rig.settle(proposal) }

        let value = try await rig.record([late, EventsTests.event("name_7")])

        #expect(value.rejected == [.init(index: 0, code: .nameOverBudget)] && value.stored == 1)
        #expect(try await rig.events().map(\.name.rawValue) == ["name_7"])
        #expect(rig.metrics.render().contains("tollgate_events_dropped_total{code=\"name_over_budget\"} 2"))
    }

    @Test("Very many that wait are settled a portion at a time")
    func portions() async throws {
        let rig = try await IngestRig()
        let count = 3 * ProjectNames.portion / EventRules.mostEvents + 1
        let letters = try (0..<count).map { number in
            try Letter(
                EventsRecord(
                    organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: "u\(number)"),
                    events: Array(repeating: EventsTests.event(), count: EventRules.mostEvents), trust: .unverified),
                id: "m\(number)", at: IngestRig.noon, from: .load)
        }
        let proposals = try await rig.apply(letters, in: 0)
        #expect(proposals.count == 1)

        for proposal in proposals { try await rig.settle(proposal) }
        #expect(try await rig.events().count == ProjectNames.portion)
        try await rig.ringAlarms()

        #expect(try await rig.events().count == count * EventRules.mostEvents)
        #expect(try await rig.waiting() == 0)
    }

    @Test("A list says what an app has used, and knows no app that is not there")
    func list() async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(Self.claim([2, 1].map(Self.name)))

        func answer(about app: AppID) async throws -> Verdict<EventNameBook> {
            try await rig.partitions[0].read {
                try ListNames().answer(EventNameList(organisation: IngestRig.organisation, app: app), in: $0)
            }
        }

        if case .applied(let book) = try await answer(about: IngestRig.app) {
            #expect(book.names.map(\.name) == [2, 1].map(Self.name))
        } else {
            Issue.record("the app is there")
        }
        if case .refused(let refusal) = try await answer(about: AppID(rawValue: "com.example.none")) {
            #expect(refusal.reason == "app_unknown")
        } else {
            Issue.record("the app is not there")
        }
    }
}
