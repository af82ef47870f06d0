import Erasures
import Foundation
import JSON
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EventIngest

@Suite("Pages of events, and what is kept of a user")
struct PagesTests {
    /// 60 events of three users, the newest last.
    static func filled() async throws -> IngestRig {
        let rig = try await IngestRig()
        for number in 0..<60 {
            _ = try await rig.record(
                [EventsTests.event(number % 2 == 0 ? "even" : "odd", id: "\(number)")], of: "u\(number % 3)")
        }
        return rig
    }

    static func page(_ question: SignpostsPage, _ rig: IngestRig) async throws -> SignpostsPage.Value {
        let verdict = try await rig.partitions[0].read {
            try PageSignposts(partitions: 1).answer(question, in: $0)
        }
        guard case .applied(let value) = verdict else { throw TestFailure("\(verdict)") }
        return value
    }

    @Test("Pages lead from the newest back to the first, and each event is on one of them")
    func back() async throws {
        let rig = try await Self.filled()
        var question = SignpostsPage(partition: 0)
        question.limit = 7
        var found: [String?] = []

        repeat {
            let page = try await Self.page(question, rig)
            found += page.events.map(\.id)
            question.after = page.next
        } while question.after != nil

        #expect(found == (0..<60).reversed().map { "\($0)" })
    }

    @Test("A question may want one user's, one app's, or one name's", arguments: [true, false])
    func filters(namesOrganisation: Bool) async throws {
        let rig = try await Self.filled()
        var question = SignpostsPage(partition: 0)
        if namesOrganisation { question.organisation = IngestRig.organisation }
        question.user = AppUserID(rawValue: "u1")
        question.name = EventName(rawValue: "even")

        let found = try await Self.page(question, rig).events

        #expect(found.compactMap(\.id) == (0..<60).reversed().filter { $0 % 3 == 1 && $0 % 2 == 0 }.map { "\($0)" })
        question.app = AppID(rawValue: "com.example.other")
        #expect(try await Self.page(question, rig).events.isEmpty)
    }

    @Test("Who follows is told what comes after, once, the oldest first")
    func follow() async throws {
        let rig = try await Self.filled()
        var question = SignpostsPage(partition: 0)
        question.isForward = true
        question.after = try await Self.page(question, rig).next
        #expect(try await Self.page(question, rig).events.isEmpty)

        for number in 60..<63 { _ = try await rig.record([EventsTests.event(id: "\(number)")]) }
        let page = try await Self.page(question, rig)
        question.after = page.next

        #expect(page.events.map(\.id) == ["60", "61", "62"])
        #expect(try await Self.page(question, rig).events.isEmpty)
    }

    @Test("Where nothing is wanted a page still ends, and says where to go on")
    func bounded() async throws {
        let rig = try await Self.filled()
        var question = SignpostsPage(partition: 0)
        question.name = EventName(rawValue: "other")

        let page = try await rig.partitions[0].read { [question] in
            try EventPages.page(question, after: nil, limit: 10, mostSeen: 20, in: $0)
        }

        #expect(page.events.isEmpty)
        #expect(page.end == 41)
    }

    @Test("An export has every event of a user, those that wait too, and none of others")
    func export() async throws {
        let rig = try await Self.filled()
        let waiting = try Letter(
            EventsRecord(
                organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: "u1"),
                events: [EventsTests.event("unheard_of", id: "w")], trust: .unverified), id: "w", at: IngestRig.noon,
            from: .load)
        try await rig.apply([waiting], in: 0)
        var question = SignpostsExport(
            partition: 0, organisation: IngestRig.organisation, user: AppUserID(rawValue: "u1"))
        var records: [UserRecordsPage.Record] = []

        repeat {
            let verdict = try await rig.partitions[0].read { [question] in
                try ExportUser(pageSize: 7).answer(question, in: $0)
            }
            guard case .applied(let page) = verdict else { throw TestFailure("\(verdict)") }
            records += page.records
            question.after = page.next
        } while question.after != nil

        #expect(records.count == 21)
        #expect(records.last?.sort == "waiting_events" && records.last?.content["id"] == "w")
        #expect(records.allSatisfy { $0.content["user"] == "u1" })
    }

    private static func traces(of user: AppUserID, _ rig: IngestRig) async throws -> UserTraces.Value {
        let question = SignpostsTraces(partition: 0, organisation: IngestRig.organisation, user: user)
        let verdict = try await rig.partitions[0].read { try FindTraces().answer(question, in: $0) }
        guard case .applied(let value) = verdict else { throw TestFailure("\(verdict)") }
        return value
    }

    private static func erase(_ user: AppUserID, _ rig: IngestRig) async throws -> UserErased {
        let erased = UserErased(
            organisation: IngestRig.organisation, user: user, erasedAt: IngestRig.noon + .seconds(1),
            erasure: MessageID(rawValue: "e"))
        try await rig.settle(
            try Letter(erased, id: "e", at: IngestRig.noon, from: BrokerUser(of: .entitlementResolver)))
        return erased
    }

    @Test("Traces count what names a user, and say when an erasure has been followed")
    func traces() async throws {
        let rig = try await Self.filled()
        let user = AppUserID(rawValue: "u1")
        #expect(try await Self.traces(of: user, rig) == .init(rows: ["events": 20], erasedAt: nil, isPending: false))

        let at = try await Self.erase(user, rig).erasedAt

        #expect(try await Self.traces(of: user, rig) == .init(rows: ["events": 20], erasedAt: at, isPending: true))
        try await rig.ringAlarms(now: IngestRig.noon + .seconds(2))
        #expect(try await Self.traces(of: user, rig) == .init(rows: [:], erasedAt: at, isPending: false))
        #expect(try await rig.record([EventsTests.event(id: "1")], of: "u1").stored == 0)
        #expect(try await rig.events().count == 40)
    }

    @Test("An erasure has been followed when the funnel counts nothing of him either")
    func funnelForgotten() async throws {
        let rig = try await Self.filled()
        let user = AppUserID(rawValue: "u1")
        let step = FunnelFacts.step("name", index: 1, at: IngestRig.noon)
        _ = try await rig.record([step], of: user.rawValue)
        try await rig.ringAlarms(now: IngestRig.noon + .seconds(1))
        #expect(try await Self.traces(of: user, rig).rows["funnel_users"] == 1)

        let at = try await Self.erase(user, rig).erasedAt
        try await rig.ringAlarms([ForgetUsers()], now: IngestRig.noon + .seconds(2))

        let between = try await Self.traces(of: user, rig)
        #expect(between.isPending && between.rows["events"] == nil && between.rows["funnel_users"] == 1)
        try await rig.ringAlarms(now: IngestRig.noon + .seconds(3))
        #expect(try await Self.traces(of: user, rig) == .init(rows: [:], erasedAt: at, isPending: false))
    }
}
