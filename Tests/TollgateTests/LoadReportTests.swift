import Messages
import Testing

@testable import Tollgate

@Suite("The verdict on load")
struct LoadReportTests {
    static let honest = ["lost=0", "twice=0", "wrong=0"].compactMap { LoadThreshold($0) }

    /// A look at the validator, which has seen the first three of a publisher's messages.
    static func look(
        silent: [Look.Silence] = [], dead: PartitionReport.DeadGroup? = nil, through: Int? = nil,
        retrying: Int = 0
    ) -> Reconciliation {
        var report = ReconciliationTests.report()
        if let dead { report.dead = [dead] }
        report.retrying = retrying
        if let through {
            report.numbers = [NumberLedgerTests.numbers("receipt-validator.5", seen: [1...3], through: through)]
        }
        return ReconciliationTests.reconcile([report], silent: silent)
    }

    /// What a run comes to in which `accepted` of ten messages were taken.
    static func report(
        accepted: Int = 10, open: Int = 0, inquiry: LoadInquiry.Outcome = LoadInquiry.Outcome(), poison: Int = 0,
        before: Reconciliation = look(), after: Reconciliation = look(), isInterrupted: Bool = false
    ) throws -> LoadReport {
        var standing = LoadLedger.Standing()
        standing.total = LoadLedger.Line(sent: 10, accepted: accepted, failed: 10 - accepted)
        standing.disturbances = [.poison: LoadLedger.Line(sent: poison, accepted: poison)]
        return LoadReport(
            LoadReport.Findings(
                run: 1, door: .queues, mix: try LoadMix(nil, through: .queues), time: .seconds(5),
                sending: .seconds(20), isInterrupted: isInterrupted, due: 30, standing: standing, open: open, notes: [],
                inquiry: inquiry, before: before, after: after, megabytes: nil),
            judgedBy: honest)
    }

    @Test("What was accepted and had its effect passes, at the rate at which it was really sent")
    func good() throws {
        let report = try Self.report()

        #expect(report.isGood && report.lost == 0)
        #expect(report.rate == 0.5 && report.seconds == 5)
    }

    @Test("A run that was interrupted says so, and that it has passed nothing")
    func interrupted() throws {
        let page = LoadText.page(try Self.report(isInterrupted: true))

        #expect(page.contains("interrupted: 10 of 30 messages were sent"))
        #expect(page.hasSuffix("\ninterrupted"))
    }

    @Test("A run of which nothing was accepted proves nothing")
    func nothing() throws {
        let report = try Self.report(accepted: 0)

        #expect(!report.isGood && report.lost == nil)
        #expect(report.thresholds.map(\.holds) == [false, false, false])
    }

    @Test("As long as a partition is silent, or nobody answers about a person, what is lost is not known")
    func silent() throws {
        let silence = Look.Silence(service: .receiptValidator, partition: 0, why: "away")
        let mute = try Self.report(after: Self.look(silent: [silence]))
        var inquiry = LoadInquiry.Outcome()
        inquiry.silent = 1

        #expect(mute.lost == nil && !mute.isGood)
        #expect(!mute.services.contains { $0.service == .receiptValidator })
        #expect(try Self.report(inquiry: inquiry).lost == nil)
    }

    @Test("While something is in the ladder that was not there before, what is lost is not known")
    func ladder() throws {
        let one = Self.look(retrying: 1)

        #expect(try Self.report(before: one, after: one).lost == 0)
        #expect(try Self.report(after: one).lost == nil)
    }

    @Test("Lost is what had no effect, whoever is not known, and what a checkpoint names")
    func lost() throws {
        var inquiry = LoadInquiry.Outcome()
        inquiry.unknown = 3

        #expect(try Self.report(open: 2, inquiry: inquiry).lost == 5)
        #expect(try Self.report(after: Self.look(through: 7)).lost == 4)
    }

    @Test("What is missed by its number and by its effect is lost once; what waits for an operator is not")
    func lostOnce() throws {
        let dead = PartitionReport.DeadGroup(reason: "app_unknown", step: "apply", kind: "artifact.submit.v1", count: 2)

        #expect(try Self.report(open: 4, after: Self.look(through: 7)).lost == 4)
        #expect(try Self.report(open: 2, after: Self.look(dead: dead)).lost == 0)
        #expect(try LoadText.page(Self.report(open: 1)).contains("lost at least 1"))
    }

    @Test("What was lost before the run is not its loss")
    func lostBefore() throws {
        let report = try Self.report(before: Self.look(through: 7), after: Self.look(through: 8))

        #expect(report.lost == 1)
    }

    @Test(
        "Poison that has left no dead letter is lost, whatever else has died",
        arguments: [("undecodable", 0), ("app_unknown", 2)])
    func buried(reason: String, expected: Int) throws {
        let dead = PartitionReport.DeadGroup(reason: reason, step: "decode", kind: "artifact.submit.v1", count: 2)

        #expect(try Self.report(poison: 2, after: Self.look(dead: dead)).lost == expected)
    }
}
