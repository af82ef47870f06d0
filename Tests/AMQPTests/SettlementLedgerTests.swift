import AMQP
import TestSupport
import Testing

@Suite("Settling deliveries")
struct SettlementLedgerTests {
    @Test("All from the lowest on take one frame")
    func prefix() {
        var ledger = SettlementLedger(delivered: 10)

        #expect(ledger.settle([1, 2, 3]) == [.init(tag: 3, upTo: true)])
        #expect(ledger.settle([4]) == [.init(tag: 4, upTo: false)])
    }

    @Test("Those with a gap before them take a frame each; once the gap is filled, one covers all")
    func gap() {
        var ledger = SettlementLedger(delivered: 6)

        #expect(ledger.settle([3, 5]) == [.init(tag: 3, upTo: false), .init(tag: 5, upTo: false)])
        #expect(ledger.settle([2, 1]) == [.init(tag: 2, upTo: true)])
        #expect(ledger.settle([4, 6]) == [.init(tag: 6, upTo: true)])
    }

    @Test("What is settled, or was never delivered, is passed over", arguments: [[0], [1], [7], [UInt64.max], [1, 1]])
    func unknown(tags: [UInt64]) {
        var ledger = SettlementLedger(delivered: 6)
        _ = ledger.settle([1])

        #expect(ledger.settle(tags) == [])
    }

    @Test(
        "Whatever the order, the broker is told of each delivery once, and of nothing else",
        arguments: 0..<50 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ledger = SettlementLedger()
        var unsettledAtBroker: Set<UInt64> = []
        var delivered: UInt64 = 0

        for _ in 0..<200 {
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                delivered += 1
                ledger.delivered(delivered)
                unsettledAtBroker.insert(delivered)
            }
            let tags = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                UInt64.random(in: 0...(delivered + 1), using: &random)
            }
            let expected = unsettledAtBroker.subtracting(tags)
            for frame in ledger.settle(tags) {
                // What RabbitMQ closes the channel over.
                #expect(unsettledAtBroker.contains(frame.tag), "seed \(seed)")
                if frame.upTo {
                    unsettledAtBroker = unsettledAtBroker.filter { $0 > frame.tag }
                } else {
                    unsettledAtBroker.remove(frame.tag)
                }
            }
            #expect(unsettledAtBroker == expected, "seed \(seed)")
        }
    }
}

extension SettlementLedger {
    fileprivate init(delivered count: UInt64) {
        self.init()
        for tag in 1...count { delivered(tag) }
    }
}
