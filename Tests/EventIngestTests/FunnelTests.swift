import Erasures
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EventIngest

@Suite("The funnel")
struct FunnelTests {
    typealias Facts = FunnelFacts

    static func names(_ funnel: Funnel) -> [String] { funnel.stages.map { $0.step ?? $0.kind } }
    static func users(_ funnel: Funnel) -> [Int] { funnel.stages.map(\.users) }

    /// Ann goes all the way, Ben leaves after the first step, Cleo skips it and buys without seeing a paywall.
    static func ofThree() async throws -> IngestRig {
        let rig = try await IngestRig(partitions: 4)
        _ = try await rig.record(
            [
                Facts.step("welcome", index: 0, at: Facts.hour(-9)),
                Facts.step("plan", index: 1, value: "annual", at: Facts.hour(-8)),
            ], of: "ann")
        _ = try await rig.record([Facts.step("welcome", index: 0, at: Facts.hour(-7))], of: "ben")
        _ = try await rig.record([Facts.step("plan", index: 1, value: "monthly", at: Facts.hour(-6))], of: "cleo")
        try await rig.tell(Facts.exposure(of: "ann", at: Facts.hour(-5)), id: "e")
        try await rig.tell(Facts.purchase(of: "ann", at: Facts.hour(-4), id: "a"), id: "pa")
        try await rig.tell(Facts.purchase(of: "cleo", at: Facts.hour(-3), id: "c"), id: "pc")
        return rig
    }

    @Test("Each stage has the users who reached it, and the share of those who came from the one before")
    func stages() async throws {
        let funnel = try await Self.ofThree().funnel()

        #expect(Self.names(funnel) == ["welcome", "plan", "paywall", "purchase"])
        #expect(funnel.users == 3 && Self.users(funnel) == [2, 2, 1, 2])
        #expect(funnel.stages.map(\.ofBefore) == [nil, 0.5, 0.5, 1])
        let (third, twoThirds) = (1.0 / 3, 2.0 / 3)
        let shares: [Double?] = [twoThirds, twoThirds, third, twoThirds]
        #expect(funnel.stages.map(\.ofAll) == shares)
        #expect(funnel.stages.map(\.index) == [0, 1, nil, nil] && funnel.answers == nil)
    }

    @Test("By answer it tells who bought something, most users first; of several answers of a user the last counts")
    func answers() async throws {
        let rig = try await Self.ofThree()
        _ = try await rig.record(
            [
                Facts.step("plan", index: 1, value: "monthly", at: Facts.hour(-2)),
                Facts.step("plan", index: 1, value: "annual", at: Facts.hour(-4)),
                Facts.step("plan", index: 1, at: Facts.hour(-1)),
            ], of: "dan")

        let funnel = try await rig.funnel(answersTo: "plan")

        #expect(funnel.answersTo == "plan")
        #expect(funnel.answers?.map(\.value) == ["monthly", "annual"])
        #expect(funnel.answers?.map(\.users) == [2, 1] && funnel.answers?.map(\.conversion) == [0.5, 1])
        #expect(try await rig.funnel(answersTo: "nonsense").answers == [])
    }

    @Test(
        "Steps come by index as a number, then by name; the newest event of a step decides its index, not the last to come"
    )
    func order() async throws {
        let rig = try await IngestRig(partitions: 4)
        let sent = [("b", 2), ("z", 10), ("c", 2), ("a", 9)] as [(String, Int64)]
        for (number, (name, index)) in sent.enumerated() {
            _ = try await rig.record([Facts.step(name, index: index, at: Facts.hour(-9))], of: "u\(number)")
        }
        #expect(Self.names(try await rig.funnel()).dropLast(2) == ["b", "c", "a", "z"])

        _ = try await rig.record([Facts.step("z", index: 1, at: Facts.hour(-2))], of: "v")
        _ = try await rig.record([Facts.step("z", index: 99, at: Facts.hour(-3))], of: "w")
        #expect(Self.names(try await rig.funnel()).dropLast(2) == ["z", "b", "c", "a"])
    }

    @Test("A time takes the users whose first event was in it: its beginning is, its end is not")
    func cohort() async throws {
        let rig = try await Self.ofThree()
        let cases: [(from: Double?, to: Double?, users: Int)] = [
            (-9, nil, 3), (-8.9, nil, 2), (nil, -9, 0), (nil, -8.9, 1), (-8, -6.5, 1), (-6.5, -3, 1), (-5.5, nil, 0),
        ]
        for (from, to, expected) in cases {
            let funnel = try await rig.funnel(from: from.map(Facts.hour), to: to.map(Facts.hour))
            #expect(funnel.users == expected, "\(String(describing: from)) to \(String(describing: to))")
        }
        // What the user did later counts, whenever it was.
        #expect(Self.users(try await rig.funnel(from: Facts.hour(-9), to: Facts.hour(-8.5))) == [1, 1, 1, 1])
    }

    @Test("Sandbox is apart, and takes along the steps of those of whom nothing else is known")
    func environments() async throws {
        let rig = try await IngestRig()
        for user in ["tester", "both", "customer"] {
            _ = try await rig.record([Facts.step("welcome", index: 0, at: Facts.hour(-9))], of: user)
        }
        for user in ["tester", "both"] {
            try await rig.tell(Facts.exposure(of: user, at: Facts.hour(-8), environment: .sandbox), id: "e-\(user)")
            try await rig.tell(
                Facts.purchase(of: user, at: Facts.hour(-7), environment: .sandbox), id: "s-\(user)")
        }
        try await rig.tell(Facts.purchase(of: "both", at: Facts.hour(-6)), id: "p")

        let (production, sandbox) = (try await rig.funnel(), try await rig.funnel(environment: .sandbox))

        #expect(production.users == 2 && Self.users(production) == [2, 0, 1])
        #expect(sandbox.users == 2 && Self.users(sandbox) == [2, 2, 2])
        #expect(try await rig.funnel(environment: .xcode).users == 0)
    }

    @Test("What a family shares, what went to somebody else, and what was bought elsewhere is no purchase")
    func noPurchase() async throws {
        let rig = try await IngestRig()
        try await rig.tell(Facts.purchase(of: "a", at: Facts.hour(-1), ownership: "FAMILY_SHARED"), id: "1")
        try await rig.tell(Facts.purchase(of: "b", at: Facts.hour(-1), isHeld: false, revision: 2), id: "2")
        try await rig.tell(Facts.purchase(of: "b", at: Facts.hour(-1), revision: 1), id: "3")
        try await rig.tell(Facts.purchase(of: "c", at: Facts.hour(-1), app: nil), id: "4")
        try await rig.tell(Facts.purchase(of: "d", at: Facts.hour(-1), app: AppID(rawValue: "other")), id: "5")
        #expect(try await rig.funnel().users == 0)

        // In which app is told later.
        try await rig.tell(Facts.purchase(of: "c", at: Facts.hour(-1), revision: 2), id: "6")
        #expect(try await rig.funnel().users == 1)
    }

    @Test("Refunded is who has got back all that he paid, whichever is told first; a part is not all")
    func refunds() async throws {
        let rig = try await IngestRig()
        try await rig.tell(Facts.refund(of: "a", revision: 2), id: "1")
        #expect(try await rig.funnel().users == 0)
        try await rig.tell(Facts.purchase(of: "a", at: Facts.hour(-1)), id: "2")
        try await rig.tell(Facts.purchase(of: "b", at: Facts.hour(-1)), id: "3")
        try await rig.tell(Facts.refund(of: "b", percentage: 50_000), id: "4")
        try await rig.tell(Facts.purchase(of: "c", at: Facts.hour(-1)), id: "5")
        try await rig.tell(Facts.purchase(of: "c", at: Facts.hour(-1), id: "t2"), id: "6")
        try await rig.tell(Facts.refund(of: "c"), id: "7")
        try await rig.tell(Facts.purchase(of: "d", at: Facts.hour(-1)), id: "10")
        try await rig.tell(Facts.refund(of: "d", percentage: 100_000), id: "11")
        #expect(try await rig.funnel().refunded == 2)

        try await rig.tell(Facts.refund(of: "c", id: "t2"), id: "8")
        try await rig.tell(Facts.refund(of: "a", isRefunded: false, revision: 3), id: "9")
        let funnel = try await rig.funnel()
        #expect(funnel.refunded == 2 && Self.users(funnel).last == 4)
    }

    @Test("Events whose name waits to be judged count once it is")
    func waiting() async throws {
        let rig = try await IngestRig()
        let letter = try Letter(
            EventsRecord(
                organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: "ann"),
                events: [Facts.step("welcome", index: 0, at: Facts.hour(-1))], trust: .attested), id: "m",
            at: IngestRig.noon, from: .load)
        let proposal = try await rig.apply([letter], in: 0)
        #expect(try await rig.funnel().users == 0)

        let judged = try await rig.apply(proposal, in: 0)
        _ = try await rig.apply(judged, in: 0)

        #expect(try await rig.funnel().users == 1)
    }

    @Test("An erasure takes the user out, but for what came after it; his traces and his export name the tables")
    func erasure() async throws {
        let rig = try await Self.ofThree()
        let ann = AppUserID(rawValue: "ann")
        let partition = Bucket(of: Key.user(IngestRig.organisation, ann)).partition(of: rig.count)
        let customer = Customer(IngestRig.organisation, ann)
        _ = try await rig.funnel()
        let database = rig.partitions[partition]
        #expect(
            try await database.read { try customer.rows(in: UserRows.names + UserRows.unsettled, of: $0) }
                == ["events": 2, "funnel_exposures": 1, "funnel_purchases": 1, "funnel_users": 1])
        let sorts = try await database.read { snapshot in
            try UserRecords.sections.flatMap { try $0.read(customer, 0, 100, snapshot).map(\.record.sort) }
        }
        #expect(sorts == ["events", "events", "funnel_exposures", "funnel_purchases"])

        try await rig.tell(
            UserErased(
                organisation: IngestRig.organisation, user: ann, erasedAt: Facts.hour(1),
                erasure: MessageID(rawValue: "x")), id: "erased", at: Facts.hour(1))
        #expect(try await rig.funnel().users == 2)
        #expect(try await database.read { try customer.rows(in: UserRows.names + UserRows.unsettled, of: $0) } == [:])

        // Told again from before, and anew from after.
        try await rig.tell(Facts.exposure(of: "ann", at: Facts.hour(-5)), id: "e-again")
        try await rig.tell(Facts.purchase(of: "ann", at: Facts.hour(-4), id: "a"), id: "pa-again")
        #expect(try await rig.funnel().users == 2)
        try await rig.tell(
            Facts.exposure(of: "ann", at: Facts.hour(-5), namedAt: Facts.hour(2)), id: "e-anew", at: Facts.hour(2))
        try await rig.tell(
            Facts.purchase(of: "ann", at: Facts.hour(-4), id: "a"), id: "pa-anew", at: Facts.hour(2))
        #expect(Self.users(try await rig.funnel()) == [1, 1, 1, 2])
    }

    @Test("An app that is not known has no funnel")
    func unknownApp() async throws {
        let rig = try await IngestRig(apps: [])

        let steps = try await rig.partitions[0].read {
            try ListFunnelSteps(partitions: 1).answer(
                FunnelSteps(partition: 0, organisation: IngestRig.organisation, app: IngestRig.app), in: $0)
        }
        let count = try await rig.partitions[0].read {
            try CountFunnel().answer(
                FunnelCount(partition: 0, organisation: IngestRig.organisation, app: IngestRig.app, steps: []), in: $0)
        }

        guard case .refused(let first) = steps, case .refused(let second) = count else {
            Issue.record("\(steps), \(count)")
            return
        }
        #expect([first.reason, second.reason] == ["app_unknown", "app_unknown"])
    }
}
