import Messages
import Testing
import Tollgate

@Suite("The verdict of reconciling")
struct ReconciliationTests {
    static func report(
        _ service: ServiceName = .receiptValidator, applied: Int = 5, retrying: Int = 0, overdue: Int = 0,
        dead: Int = 0, unpublished: Int = 0, numbers: [PartitionReport.Numbers] = []
    ) -> PartitionReport {
        PartitionReport(
            service: service, partition: 0, partitions: 1, applied: applied, refused: 1, repeated: 2, forwarded: 0,
            retrying: retrying, overdue: overdue,
            dead: dead == 0
                ? [] : [.init(reason: "undecodable", step: "decode", kind: "artifact.submit.v1", count: dead)],
            unpublished: unpublished, numbers: numbers)
    }

    static func reconcile(
        _ reports: [PartitionReport], silent: [Look.Silence] = [], depths: [String: Int]? = [:],
        conflicts: [HoldingsLedger.Conflict]? = []
    ) -> Reconciliation {
        Reconciliation(
            Look(
                at: NumberLedgerTests.now, counts: [.receiptValidator: .one, .entitlementResolver: .one],
                reports: reports, silent: silent, depths: depths), conflicts: conflicts)
    }

    static let lostOne = NumberLedgerTests.numbers("receipt-validator.5", seen: [1...2], through: 3)
    static let untold = NumberLedgerTests.numbers("receipt-validator.5", seen: [1...2])
    static let unproven = NumberLedgerTests.numbers("receipt-validator.5", seen: [1...2], age: .seconds(60))
    static let conflicts: [HoldingsLedger.Conflict] = {
        var ledger = HoldingsLedger()
        ledger.add([HoldingsLedgerTests.holding("demo//1", "otto"), HoldingsLedgerTests.holding("demo//1", "anna")])
        return ledger.conflicts
    }()
    static let silence = Look.Silence(service: .entitlementResolver, partition: 0, why: "nobody owns it")

    @Test("At rest with everything seen, all is accounted for; dead letters are, too")
    func accounted() {
        let result = Self.reconcile([Self.report(dead: 3), Self.report(.entitlementResolver, applied: 7)])

        #expect(result.verdict == .accounted)
        #expect(result.sentence == "all is accounted for: 12 applied, 2 refused, 3 dead letters")
    }

    @Test("What is unproven is said, and does not spoil the verdict")
    func unproven() {
        let result = Self.reconcile([Self.report(numbers: [Self.unproven])])

        #expect(result.verdict == .accounted)
        #expect(result.sentence.contains("unproven"))
        #expect(result.partitions.map(\.unproven) == [1])
    }

    @Test("What a publisher sent last under many keys is one line; where a gap is known it has its own")
    func tails() {
        let keys = (1...6).map { key in
            NumberLedgerTests.numbers("receipt-validator.\(key)", seen: [1...2], age: .seconds(60))
        }
        let gap = NumberLedgerTests.numbers("receipt-validator.7", seen: [1...1, 3...3], age: .seconds(60))
        let result = Self.reconcile([Self.report(numbers: keys + [gap])])

        let lines = result.text.split(separator: "\n").filter { $0.hasPrefix("unproven: ") }
        #expect(
            lines == [
                """
                unproven: what attest-gateway:1 sent last under 6 routing keys: receipt-validator.1, receipt-validator.2, \
                receipt-validator.3, receipt-validator.4, … (--json names all)
                """,
                """
                unproven: what attest-gateway:1 sent last under receipt-validator.7; of those before, 2 did not arrive at \
                receipt-validator
                """,
            ])
        #expect(
            Self.reconcile([Self.report(numbers: [Self.unproven])]).text
                .contains("unproven: what attest-gateway:1 sent last under receipt-validator.5\n"))
    }

    @Test("Whatever has not ended is named, and it is not the end")
    func onTheWay() {
        let cases: [(Reconciliation, String)] = [
            (Self.reconcile([Self.report(retrying: 2, overdue: 1)]), "2 in the retry ladder, 1 of them overdue"),
            (Self.reconcile([Self.report()], depths: ["receipt-validator.0": 4]), "4 waiting"),
            (Self.reconcile([Self.report()], depths: ["receipt-validator.dead": 1]), "1 waiting"),
            (Self.reconcile([Self.report()], depths: ["receipt-validator.retry.1s": 3]), "3 in the retry ladder"),
            (Self.reconcile([Self.report(unpublished: 6)]), "6 not published yet"),
            (Self.reconcile([Self.report(numbers: [Self.untold])]), "1 awaiting a checkpoint"),
            (
                Self.reconcile([Self.report(numbers: [Self.lostOne])], depths: ["receipt-validator.0": 1]),
                "1 waiting, 1 waiting or lost"
            ),
        ]

        for (result, what) in cases {
            #expect(result.verdict == .onTheWay)
            #expect(result.sentence == "not all has ended yet: \(what)")
        }
    }

    @Test("A loss is the gravest, then two holders, then silence, then what has not ended")
    func order() {
        let everything = Self.reconcile(
            [Self.report(retrying: 1, numbers: [Self.lostOne])], silent: [Self.silence], conflicts: Self.conflicts)
        let held = Self.reconcile([Self.report(retrying: 1)], silent: [Self.silence], conflicts: Self.conflicts)
        let silent = Self.reconcile([Self.report(retrying: 1)], silent: [Self.silence], conflicts: nil)

        #expect(everything.verdict == .lost)
        #expect(everything.sentence == "not all is accounted for: 1 message is lost")
        #expect(everything.partitions.map(\.lost) == [1])
        #expect(held.verdict == .heldByTwo)
        #expect(silent.verdict == .cannotSay)
        #expect(
            silent.sentence == "cannot say whether all is accounted for: no answer from entitlement-resolver.0")
    }

    @Test("Without the depth of the queues nobody can say that all has ended")
    func unknownDepth() {
        let result = Self.reconcile([Self.report()], depths: nil)

        #expect(result.verdict == .cannotSay)
        #expect(result.partitions.map(\.waiting) == [nil])
        #expect(result.text.contains(" ? "))
    }

    @Test("Two looks saw the same rest if nothing is on its way in either, and no counter has moved between them")
    func rest() {
        let first = Self.reconcile([Self.report()])
        let busy = Self.reconcile([Self.report(unpublished: 1)])

        #expect(first.isAtRest(since: Self.reconcile([Self.report()])))
        #expect(!first.isAtRest(since: Self.reconcile([Self.report(applied: 4)])))
        #expect(!first.isAtRest(since: busy))
        #expect(!busy.isAtRest(since: busy))
        #expect(!Self.reconcile([Self.report()], silent: [Self.silence]).isAtRest(since: first))
    }

    @Test("What moved between two looks has not ended")
    func moved() {
        let look = Look(at: NumberLedgerTests.now, counts: [.receiptValidator: .one], reports: [Self.report()])

        let result = Reconciliation(look, conflicts: nil, hasMoved: true)

        #expect(result.verdict == .onTheWay)
        #expect(result.sentence == "not all has ended yet: something moved while it was looked at")
    }

    @Test("What strangers wrote does not steer a terminal")
    func hostile() {
        var report = Self.report()
        report.dead = [.init(reason: "\u{1B}[31m", step: "\u{1B}]0;x\u{7}", kind: "", count: 1)]

        let text = Self.reconcile([report]).text

        #expect(!text.unicodeScalars.contains("\u{1B}") && !text.unicodeScalars.contains("\u{7}"))
        #expect(text.contains("dead in 0: 1 (no kind), "))
    }

    @Test("For people: a table for each service, what is missing by name, the verdict last")
    func text() {
        let result = Self.reconcile(
            [Self.report(dead: 2, numbers: [Self.lostOne])], silent: [Self.silence], conflicts: Self.conflicts)

        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(lines.last == result.sentence)
        #expect(lines.contains("  dead in 0: 2 artifact.submit.v1, undecodable in decode"))
        #expect(
            lines.contains(
                "lost: receipt-validator.0 has not seen 3 of attest-gateway:1 under receipt-validator.5"))
        #expect(lines.contains("no answer: entitlement-resolver.0: nobody owns it"))
        #expect(lines.contains("transactions held by two: 1"))
        #expect(lines.contains("  demo//1: anna, otto"))
    }
}

@Suite("Who holds what")
struct HoldingsLedgerTests {
    static func holding(_ transaction: String, _ user: String) -> HoldingsPage.Value.Holding {
        HoldingsPage.Value.Holding(transaction: transaction, user: AppUserID(rawValue: user))
    }

    @Test("A transaction with one holder is well, however often he is named")
    func one() {
        var ledger = HoldingsLedger()

        ledger.add([Self.holding("a", "anna"), Self.holding("b", "anna")])
        ledger.add([Self.holding("a", "anna")])

        #expect(ledger.conflicts.isEmpty)
    }

    @Test("Names that only look the same are two transactions")
    func lookalikes() {
        var ledger = HoldingsLedger()

        ledger.add([Self.holding("demo//\u{E9}", "anna"), Self.holding("demo//e\u{301}", "otto")])

        #expect(ledger.conflicts.isEmpty)
    }

    @Test("Two holders are named, whichever partitions they are in")
    func two() {
        var ledger = HoldingsLedger()

        ledger.add([Self.holding("b", "otto"), Self.holding("a", "otto")])
        ledger.add([Self.holding("b", "anna"), Self.holding("b", "emil")])

        #expect(ledger.conflicts.map(\.transaction) == ["b"])
        #expect(ledger.conflicts.first?.users.map(\.rawValue) == ["anna", "emil", "otto"])
    }
}
