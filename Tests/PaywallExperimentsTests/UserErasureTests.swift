import Erasures
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import PaywallExperiments

/// A user is forgotten, and what he bought still counts, as nobody's.
@Suite("Erasing users")
struct UserErasureTests {
    static let (now, window) = (OutcomeFacts.start + OutcomeFacts.day * 200, OutcomeFacts.day * 7)

    /// Worlds in which something counts.
    static func world(_ seed: UInt64, _ stores: OutcomePartitions) async throws -> OutcomeFacts {
        let facts = OutcomeFacts(seed: seed)
        try await stores.settle(try facts.beginning(), now: now)
        try await stores.settleAll(try facts.rest(), now: now)
        return facts
    }

    static func traces(
        _ user: AppUserID, _ facts: OutcomeFacts, _ stores: OutcomePartitions
    ) async throws -> [String: Int] {
        var rows: [String: Int] = [:]
        for (number, database) in stores.databases.enumerated() {
            let question = PaywallTraces(partition: number, organisation: facts.organisation, user: user)
            let value = try await database.read { try applied(FindTraces().answer(question, in: $0)) }
            #expect(!value.isPending)
            rows.merge(value.rows, uniquingKeysWith: +)
        }
        return rows
    }

    static func export(
        _ user: AppUserID, _ facts: OutcomeFacts, _ stores: OutcomePartitions, pageSize: Int
    ) async throws -> [UserRecordsPage.Record] {
        var records: [UserRecordsPage.Record] = []
        for (number, database) in stores.databases.enumerated() {
            var question = PaywallExport(partition: number, organisation: facts.organisation, user: user)
            repeat {
                let asked = question
                let page = try await database.read {
                    try applied(ExportUser(pageSize: pageSize).answer(asked, in: $0))
                }
                records += page.records
                question.after = page.next
            } while question.after != nil
        }
        return records
    }

    static func erased(_ user: AppUserID, _ facts: OutcomeFacts) throws -> Letter {
        try Letter(
            UserErased(
                organisation: facts.organisation, user: user, erasedAt: now, erasure: MessageID(rawValue: "erasure")),
            id: "erased-\(user)", at: now, from: .entitlementResolver)
    }

    @Test(
        "Erased users are named nowhere, results stay as they were, and late repeats bring nobody back",
        arguments: [1, 4])
    func erasure(partitions: Int) async throws {
        let stores = try await OutcomePartitions(partitions)
        var forgotten = 0
        for seed in UInt64(1)...12 {
            let facts = try await Self.world(seed, stores)
            func tally() async throws -> ExperimentTally {
                try await stores.tally(
                    facts.experiment.id, of: OutcomeFacts.app, facts.organisation, at: Self.now, window: Self.window)
            }
            let before = try await tally()
            for user in (0..<4).map(OutcomeFacts.user) {
                forgotten += try await Self.traces(user, facts, stores).values.reduce(0, +)
                try await stores.settle([try Self.erased(user, facts)], now: Self.now)
            }
            try await stores.ringAlarms(now: Self.now)
            // From ladders and replays: all that was ever said, once more.
            try await stores.settleAll(try facts.rest().filter { $0.kind != PaywallResolve.kind }, now: Self.now)

            for user in (0..<4).map(OutcomeFacts.user) {
                #expect(try await Self.traces(user, facts, stores) == [:], "seed \(seed)")
                #expect(try await Self.export(user, facts, stores, pageSize: 3).isEmpty)
            }
            let after = try await tally()
            #expect(after.counts == before.counts && after.revenue == before.revenue, "seed \(seed)")
        }
        #expect(forgotten > 100)
    }

    @Test("An export shows every row that names the user, however small its pages are", arguments: [1, 2, 200])
    func export(pageSize: Int) async throws {
        let stores = try await OutcomePartitions(2)
        var shown = 0
        for seed in UInt64(1)...6 {
            let facts = try await Self.world(seed, stores)
            for user in (0..<4).map(OutcomeFacts.user) {
                var rows = try await Self.traces(user, facts, stores)
                rows["exposed_users"] = nil
                let records = try await Self.export(user, facts, stores, pageSize: pageSize)
                #expect(Dictionary(grouping: records, by: \.sort).mapValues(\.count) == rows)
                // A refund has its own time, or that of its telling.
                #expect(records.allSatisfy { $0.at.millisecondsSince1970 > 0 })
                shown += records.count
            }
        }
        #expect(shown > 50)
    }

    @Test(
        "Whether he has seen several variants is said of what is left of him, whenever the erasure comes",
        arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]])
    func variants(order: [Int]) async throws {
        let rig = try await PaywallRig()
        func exposed(_ install: String, _ variant: String, namedAt second: Int) -> PaywallExposed {
            PaywallExposed(
                organisation: PaywallRig.organisation, app: PaywallRig.app, user: AppUserID(rawValue: "anna"),
                namedAt: .second(second), install: InstallID(rawValue: install),
                experiment: ExperimentID(rawValue: "one"), variant: VariantKey(rawValue: variant), epoch: 1,
                environment: .production, trust: .attested, exposedAt: .second(second))
        }
        for step in order {
            switch step {
            case 0: try await rig.run(TakeExposure(), exposed("i", "b", namedAt: 10), at: 10)
            case 1: try await rig.run(TakeExposure(), exposed("j", "control", namedAt: 30), at: 30)
            default:
                try await rig.run(
                    FollowErasure(),
                    UserErased(
                        organisation: PaywallRig.organisation, user: AppUserID(rawValue: "anna"),
                        erasedAt: .second(20), erasure: MessageID(rawValue: "erasure")), at: 21)
            }
        }
        try await rig.database.write { transaction in
            var outgoing = Outgoing(cause: MessageID(rawValue: "alarm"), bucket: Bucket.all[0], acceptedAt: .second(40))
            try ForgetUsers().ring(now: .second(40), in: transaction, outgoing: &outgoing)
        }

        let query = ExperimentTallyGet(
            partition: 0, organisation: PaywallRig.organisation, app: PaywallRig.app,
            experiment: ExperimentID(rawValue: "one"), at: .second(50), windowMilliseconds: 1_000)
        let tally = try await rig.database.read { try applied(TallyExperiment().answer(query, in: $0)) }
        #expect(tally.audience == [.init(environment: .production, trust: .attested, users: 1, ofSeveralVariants: 0)])
    }

    @Test("A place that is none ends an export", arguments: ["", "x", "99", "0 {", "-1", "0 [\"a\"", "4 7"])
    func strangePlace(place: String) async throws {
        let stores = try await OutcomePartitions(1)
        var question = PaywallExport(
            partition: 0, organisation: OrganisationID(rawValue: "demo"), user: AppUserID(rawValue: "user"))
        question.after = place
        let asked = question

        let page = try await stores.databases[0].read { try applied(ExportUser().answer(asked, in: $0)) }

        #expect(page.records.isEmpty && page.next == nil)
    }

    @Test("Who comes back after an erasure is a new user, whose purchase counts once")
    func comesBack() async throws {
        let stores = try await OutcomePartitions(4)
        // A world in which something is held, by an install that comes back with its user.
        let facts = try await Self.world(2, stores)
        let later = Self.now + OutcomeFacts.day
        func tally() async throws -> ExperimentTally {
            try await stores.tally(
                facts.experiment.id, of: OutcomeFacts.app, facts.organisation, at: later, window: Self.window)
        }
        let before = try await tally()
        for user in (0..<4).map(OutcomeFacts.user) {
            try await stores.settle([try Self.erased(user, facts)], now: Self.now)
        }
        try await stores.ringAlarms(now: Self.now)
        // All of it again, as if it were new: the fetches later than the erasure, the links as young.
        var again: [Letter] = []
        for letter in try facts.beginning() + facts.rest() where letter.kind == PaywallResolve.kind {
            var letter = letter
            letter.acceptedAt = later
            again.append(letter)
        }
        try await stores.settleAll(again, now: later)

        let after = try await tally()
        #expect(after.counts.map(\.converted) == before.counts.map(\.converted))
        #expect(after.revenue == before.revenue)
        var named = 0
        for user in (0..<4).map(OutcomeFacts.user) {
            named += try await Self.traces(user, facts, stores)["user_exposures"] ?? 0
        }
        #expect(named > 0)
    }
}

private func applied<Value>(_ verdict: Verdict<Value>) throws -> Value {
    guard case .applied(let value) = verdict else { throw TestFailure("\(verdict)") }
    return value
}
