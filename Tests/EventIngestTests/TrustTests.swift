import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EventIngest

@Suite("By whose word")
struct TrustTests {
    typealias Facts = FunnelFacts

    @Test(
        "What an attested caller said of an event stays, whatever others say of it before or after",
        arguments: [false, true], ["id", "time"])
    func displaced(isLater: Bool, by identity: String) async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(NamesTests.claim([NamesTests.name(0), NamesTests.name(1)]))
        func event(_ name: Int, _ value: String) -> SignpostEvent {
            identity == "id"
                ? SignpostEvent(name: NamesTests.name(name), id: "x", properties: ["is": .text(value)])
                : SignpostEvent(name: NamesTests.name(0), sentAt: "1", properties: ["is": .text("same")])
        }
        let (genuine, forged) = (event(0, "genuine"), event(1, "forged"))
        let hour = Duration.seconds(3600)
        func attested() async throws -> EventsRecord.Value {
            try await rig.record([genuine], id: "a", at: IngestRig.noon - hour)
        }
        func unverified() async throws -> EventsRecord.Value {
            try await rig.record(
                [forged], id: "u", at: isLater ? IngestRig.noon : IngestRig.noon - hour - hour, trust: .unverified)
        }

        let values =
            isLater ? [try await attested(), try await unverified()] : [try await unverified(), try await attested()]

        #expect(values.map(\.stored) == [1, 0] && values.map(\.repeated) == [0, 1])
        let shown = try await rig.events()
        #expect(shown.map(\.message) == [MessageID(rawValue: "a")] && shown.map(\.trust) == [.attested])
        #expect(shown.map(\.name) == [genuine.name] && shown.map(\.properties) == [genuine.properties])
    }

    @Test("An export shows all that is kept of a user, and says what is neither shown nor counted")
    func export() async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(NamesTests.claim([NamesTests.name(0)]))
        for (number, trust) in [Trust.unverified, .attested].enumerated() {
            _ = try await rig.record([SignpostEvent(name: NamesTests.name(0), id: "x")], id: "\(number)", trust: trust)
        }

        let records = try await rig.partitions[0].read { snapshot in
            try UserRecords.sections.flatMap {
                try $0.read(Customer(IngestRig.organisation, AppUserID(rawValue: "ann")), 0, 100, snapshot)
                    .map(\.record.content)
            }
        }
        let events = try records.map { try MessageJSON.decode(StoredEvent.self, from: try MessageJSON.encode($0)) }

        #expect(events.map(\.trust) == [.unverified, .attested] && events.map(\.isOvertaken) == [true, nil])
    }

    @Test("The funnel counts by whose word it is asked; of one step the attested word counts for all")
    func funnel() async throws {
        let rig = try await IngestRig(partitions: 4)
        _ = try await rig.record(
            [
                Facts.step("welcome", index: 0, at: Facts.hour(-9)),
                Facts.step("plan", index: 1, value: "annual", at: Facts.hour(-8)),
            ], of: "ann")
        // The second thoughts of somebody who is not she.
        _ = try await rig.record(
            [
                Facts.step("plan", index: 99, value: "junk", at: Facts.hour(-1)),
                Facts.step("junk", index: 0, at: Facts.hour(-2)),
            ],
            of: "ann", trust: .unverified)
        _ = try await rig.record([Facts.step("welcome", index: 0, at: Facts.hour(-9))], of: "ben", trust: .unverified)
        try await rig.tell(Facts.exposure(of: "ann", at: Facts.hour(-5), trust: .unverified), id: "e")
        for user in ["ann", "ben", "cleo"] {
            try await rig.tell(Facts.purchase(of: user, at: Facts.hour(-4), id: user), id: "p-\(user)")
        }
        func lines(_ trust: Trust?) async throws -> [String] {
            let funnel = try await rig.funnel(answersTo: "plan", trust: trust)
            let stages = funnel.stages.map { "\($0.index ?? -1) \($0.step ?? $0.kind) \($0.users)" }
            return ["\(funnel.users)"] + stages + (funnel.answers ?? []).map { "\($0.value ?? "") \($0.users)" }
        }

        #expect(
            try await lines(nil) == [
                "3", "0 junk 1", "0 welcome 2", "1 plan 1", "-1 paywall 1", "-1 purchase 3", "annual 1",
            ])
        #expect(
            try await lines(.attested) == ["1", "0 welcome 1", "1 plan 1", "-1 paywall 0", "-1 purchase 1", "annual 1"])
        #expect(
            try await lines(.unverified) == [
                "2", "0 junk 1", "0 welcome 1", "99 plan 1", "-1 paywall 1", "-1 purchase 2", "junk 1",
            ])
    }

    @Test("However many steps strangers invent, those of attested callers are shown, and in their places")
    func junk() async throws {
        let rig = try await IngestRig(partitions: 4)
        _ = try await rig.record(
            [Facts.step("welcome", index: 0, at: Facts.hour(-9)), Facts.step("plan", index: 1, at: Facts.hour(-8))],
            of: "ann")
        for number in 0..<12 {
            let steps = (0..<40).map {
                Facts.step("junk_\(number % 6)_\($0)", index: 50, at: Facts.hour(-1))
            }
            let lies = [
                Facts.step("welcome", index: 98, at: Facts.hour(-1)), Facts.step("plan", index: 97, at: Facts.hour(-1)),
            ]
            _ = try await rig.record(steps + lies, of: "stranger \(number)", trust: .unverified)
        }

        let funnel = try await rig.funnel()

        #expect(funnel.stages.count == Funnel.mostSteps + 2)
        #expect(funnel.stages.prefix(2).map(\.step) == ["welcome", "plan"] && funnel.stages[0].users == 13)
        #expect(
            FunnelTests.names(try await rig.funnel(trust: .attested)) == ["welcome", "plan", "paywall", "purchase"])
    }

    @Test("Of one user 100 steps count; the numbers of steps that nobody is at any more go to others")
    func numbers() async throws {
        let rig = try await IngestRig()
        func send(_ user: String, _ prefix: String) async throws {
            for part in 0..<3 {
                let steps = (0..<50).map { Facts.step("\(prefix)_\(50 * part + $0)", index: 1, at: Facts.hour(-1)) }
                _ = try await rig.record(steps, of: user, trust: .unverified)
            }
            try await rig.ringAlarms(now: Facts.hour(1))
        }
        func steps() async throws -> [String] {
            try await rig.partitions[0].read {
                try $0.all("SELECT users || ' ' || number FROM funnel_steps ORDER BY number") { try $0.text(0) }
            }
        }
        try await send("ann", "a")
        let first = try await steps()
        #expect(first == (0..<FunnelStory.mostSteps).map { "1 \($0)" })

        try await rig.tell(
            UserErased(
                organisation: IngestRig.organisation, user: AppUserID(rawValue: "ann"), erasedAt: Facts.hour(1),
                erasure: MessageID(rawValue: "x")), id: "erased", at: Facts.hour(1))
        try await rig.ringAlarms(now: Facts.hour(2))
        #expect(try await steps() == first.map { "0" + $0.dropFirst() })
        #expect(FunnelTests.names(try await rig.funnel()) == ["paywall", "purchase"])
    }
}
