import Messages
import Testing
import Tollgate

@Suite("Events against each of their subscribers")
struct SubscriberLedgerTests {
    /// Taken by validator and resolver, as configuration by every partition of each.
    static let event = "app.changed.v1.5"
    /// Taken by the resolver alone.
    static let fact = "transaction.verified.v1.5"

    @Test("What one subscriber has not seen is lost for him alone")
    func oneSubscriber() {
        let ledger = NumberLedger(
            NumberLedgerTests.look([
                NumberLedgerTests.report(
                    .receiptValidator, 0, [NumberLedgerTests.numbers(Self.event, seen: [1...4], through: 4)]),
                NumberLedgerTests.report(
                    .entitlementResolver, 0, [NumberLedgerTests.numbers(Self.event, seen: [1...1, 4...4], through: 4)]),
            ]))

        #expect(ledger.lost.map(\.service) == [.entitlementResolver])
        #expect(ledger.lost.first?.numbers == NumberSet([2...3]))
    }

    @Test("What neither message nor checkpoint reached is lost, because its publisher says that it was confirmed")
    func nobodyHeard() {
        var publisher = NumberLedgerTests.report(.receiptValidator, 0, [])
        publisher.published = [NumberLedgerTests.numbers(Self.fact, seen: [], through: 3, unconfirmed: [2...2])]
        let ledger = NumberLedger(
            NumberLedgerTests.look([publisher, NumberLedgerTests.report(.entitlementResolver, 0, [])]))

        #expect(ledger.lost.map(\.service) == [.entitlementResolver])
        #expect(ledger.lost.first?.numbers == NumberSet([1...1, 3...3]))
    }

    @Test("What a publisher sent so long ago that partitions have forgotten it is not lost")
    func forgotten() {
        var publisher = NumberLedgerTests.report(.receiptValidator, 0, [])
        publisher.published = [NumberLedgerTests.numbers(Self.fact, seen: [], through: 3, age: .seconds(8 * 86_400))]
        let ledger = NumberLedger(
            NumberLedgerTests.look([publisher, NumberLedgerTests.report(.entitlementResolver, 0, [])]))

        #expect(ledger.lost.isEmpty)
    }

    @Test("An event that nobody subscribes to is not lost")
    func nobodySubscribes() {
        var publisher = NumberLedgerTests.report(.receiptValidator, 0, [])
        publisher.published = [
            NumberLedgerTests.numbers("\(EntitlementChanged.kind).5", seen: [], through: 3)
        ]

        #expect(NumberLedger(NumberLedgerTests.look([publisher])).lost.isEmpty)
    }
}
