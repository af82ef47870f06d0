import Messages
import Testing
import Tollgate

@Suite("What looks lost")
struct SuspicionTests {
    static func look(missing numbers: ClosedRange<Int>...) -> Reconciliation {
        let line = NumberLedgerTests.numbers("receipt-validator.5", seen: [], through: 100)
        var seen = line
        seen.seen = NumberSet([1...100]).subtracting(NumberSet(numbers))
        return Reconciliation(
            NumberLedgerTests.look([NumberLedgerTests.report(.receiptValidator, 0, [seen])]), conflicts: nil)
    }

    @Test("Lost is what has been missing in every look; what is missing since the last one waits or is lost")
    func persists() {
        var suspicion = Suspicion()
        let start = ContinuousClock.now
        _ = suspicion.weigh(Self.look(missing: 3...6), at: start)

        let second = suspicion.weigh(Self.look(missing: 5...6, 90...90), at: start + .seconds(11))

        #expect(second.lost.map(\.numbers) == [NumberSet([5...6])])
        #expect(second.waitingOrLost.map(\.numbers) == [NumberSet([90...90])])
        #expect(suspicion.isOlder(than: .seconds(11), at: start + .seconds(11)))
    }

    @Test("What is missing by turns is on its way: each has to prove itself anew")
    func byTurns() {
        var suspicion = Suspicion()
        let start = ContinuousClock.now
        _ = suspicion.weigh(Self.look(missing: 3...3), at: start)
        _ = suspicion.weigh(Self.look(missing: 4...4), at: start + .seconds(20))

        #expect(!suspicion.isOlder(than: .seconds(11), at: start + .seconds(30)))
    }

    @Test("Once nothing is missing, nothing is suspected")
    func cleared() {
        var suspicion = Suspicion()
        _ = suspicion.weigh(Self.look(missing: 3...3), at: .now)
        _ = suspicion.weigh(Self.look(), at: .now)

        #expect(suspicion.isEmpty)
    }
}
