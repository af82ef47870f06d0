import Messages
import Testing
import Tollgate

@Suite("Numbers of publishers against numbers that arrived")
struct NumberLedgerTests {
    static let now = Timestamp(clamping: 1_800_000_000_000)
    static let publisher = PublisherID(rawValue: "attest-gateway:1")

    typealias Numbers = PartitionReport.Numbers

    /// What one partition says about one publisher and key.
    static func numbers(
        _ routingKey: String, seen: [ClosedRange<Int>], through: Int? = nil, unconfirmed: [ClosedRange<Int>] = [],
        isFinal: Bool = false, age: Duration = .seconds(1)
    ) -> Numbers {
        Numbers(
            publisher: publisher, routingKey: routingKey, seen: NumberSet(seen),
            checkpoint: through.map {
                PublisherCheckpoint(
                    publisher: publisher, routingKey: routingKey, through: $0, unconfirmed: NumberSet(unconfirmed),
                    isFinal: isFinal)
            }, checkpointAt: through == nil ? nil : now - age, lastSeenAt: seen.isEmpty ? nil : now - age)
    }

    static func report(_ service: ServiceName, _ partition: Int, _ numbers: [Numbers], of count: Int = 1)
        -> PartitionReport
    {
        PartitionReport(
            service: service, partition: partition, partitions: count, applied: 0, refused: 0, repeated: 0,
            forwarded: 0, retrying: 0, overdue: 0, dead: [], unpublished: 0, numbers: numbers)
    }

    /// A look at validator and resolver, each in `count` partitions.
    static func look(
        _ reports: [PartitionReport], count: Int = 1, silent: [Look.Silence] = [], depths: [String: Int]? = [:]
    ) -> Look {
        let count = PartitionCount(rawValue: count) ?? .one
        return Look(
            at: now, counts: [.receiptValidator: count, .entitlementResolver: count], reports: reports,
            silent: silent, depths: depths)
    }

    @Test("What is confirmed and seen is accounted for")
    func accounted() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0, [Self.numbers("receipt-validator.5", seen: [1...10], through: 10)])
            ]))

        #expect(ledger.lost.isEmpty)
        #expect(ledger.waitingOrLost.isEmpty)
        #expect(ledger.unproven.isEmpty)
        #expect(ledger.untold.isEmpty)
    }

    @Test("What is confirmed and not seen is lost, by publisher, key and number")
    func lost() throws {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [Self.numbers("receipt-validator.5", seen: [1...3, 6...8, 10...10], through: 10)])
            ]))

        let finding = try #require(ledger.lost.first)
        #expect(ledger.lost.count == 1)
        #expect(finding.publisher == Self.publisher)
        #expect(finding.routingKey == "receipt-validator.5")
        #expect(finding.service == .receiptValidator)
        #expect(finding.numbers == NumberSet([4...5, 9...9]))
    }

    @Test("What the publisher itself says was not confirmed is not lost, whether it arrived or not")
    func unconfirmed() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [
                        Self.numbers(
                            "receipt-validator.5", seen: [1...3, 6...10], through: 10, unconfirmed: [4...5, 7...7])
                    ])
            ]))

        #expect(ledger.lost.isEmpty)
    }

    @Test(
        "While something waits for the service, or nobody knows, what is missing may be waiting",
        arguments: [
            ["receipt-validator.0": 1], ["receipt-validator.dead": 1], nil,
        ] as [[String: Int]?])
    func waitingOrLost(depths: [String: Int]?) {
        let report = Self.report(
            .receiptValidator, 0, [Self.numbers("receipt-validator.5", seen: [2...3], through: 3)])

        let ledger = NumberLedger(Self.look([report], depths: depths))

        #expect(ledger.lost.isEmpty)
        #expect(ledger.waitingOrLost.map(\.numbers) == [NumberSet([1...1])])
    }

    @Test(
        "What waits for another service, in a queue for queries, or in the ladder, where it came by arriving, is no excuse"
    )
    func waitingElsewhere() {
        let report = Self.report(
            .receiptValidator, 0, [Self.numbers("receipt-validator.5", seen: [2...3], through: 3)])

        let ledger = NumberLedger(
            Self.look(
                [report],
                depths: [
                    "entitlement-resolver.0": 9, "receipt-validator.0.queries": 3, "receipt-validator.retry.1s": 1,
                ]))

        #expect(ledger.lost.map(\.numbers) == [NumberSet([1...1])])
    }

    @Test("The partitions of a service count together: one may have seen what another owns now")
    func unionOfPartitions() {
        let ledger = NumberLedger(
            Self.look(
                [
                    Self.report(.receiptValidator, 0, [Self.numbers("receipt-validator.5", seen: [1...4])], of: 2),
                    Self.report(
                        .receiptValidator, 1, [Self.numbers("receipt-validator.5", seen: [5...9], through: 9)],
                        of: 2),
                ], count: 2))

        #expect(ledger.lost.isEmpty)
    }

    @Test("A loss is counted with the partition that owns the bucket now")
    func ownerOfLoss() {
        let ledger = NumberLedger(
            Self.look(
                [
                    Self.report(
                        .receiptValidator, 0, [Self.numbers("receipt-validator.5", seen: [1...1], through: 2)], of: 2),
                    Self.report(.receiptValidator, 1, [], of: 2),
                ], count: 2))

        #expect(ledger.lost.map(\.partition) == [1])
    }

    @Test("An event has to be seen by each service that takes it, also where another's partition heard the checkpoint")
    func eventsPerSubscriber() {
        let key = "\(AppChanged.kind).5"
        let ledger = NumberLedger(
            Self.look([
                Self.report(.receiptValidator, 0, [Self.numbers(key, seen: [1...3], through: 3)]),
                Self.report(.entitlementResolver, 0, [Self.numbers(key, seen: [1...1])]),
            ]))

        #expect(ledger.lost.map(\.service) == [.entitlementResolver])
        #expect(ledger.lost.map(\.numbers) == [NumberSet([2...3])])
    }

    @Test("A service that has not heard of an event's publisher at all has lost everything of it")
    func nothingHeard() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0, [Self.numbers("\(AppChanged.kind).5", seen: [1...3], through: 3)]),
                Self.report(.entitlementResolver, 0, []),
            ]))

        #expect(ledger.lost.map(\.service) == [.entitlementResolver])
        #expect(ledger.lost.map(\.numbers) == [NumberSet([1...3])])
    }

    @Test("Configuration has to be seen by every partition, other events by one of each service")
    func configuration() {
        let configuration = "\(MappingChanged.kind).5"
        let event = "\(TransactionVerified.kind).5"
        let ledger = NumberLedger(
            Self.look(
                [
                    Self.report(
                        .entitlementResolver, 0,
                        [
                            Self.numbers(configuration, seen: [1...2], through: 2)
                        ], of: 2),
                    Self.report(
                        .entitlementResolver, 1,
                        [
                            Self.numbers(configuration, seen: [1...1], through: 2),
                            Self.numbers(event, seen: [1...2], through: 2),
                        ], of: 2),
                    Self.report(.receiptValidator, 0, [], of: 2), Self.report(.receiptValidator, 1, [], of: 2),
                ], count: 2))

        #expect(ledger.lost.map(\.routingKey) == [configuration])
        #expect(ledger.lost.map(\.partition) == [1])
        #expect(ledger.lost.map(\.numbers) == [NumberSet([2...2])])
    }

    @Test("Whoever has no trace of a publisher of last week has forgotten it, and lost nothing")
    func forgotten() {
        let old = NumberLedger.memory + .seconds(1)
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [Self.numbers("\(AppChanged.kind).5", seen: [1...3], through: 3, isFinal: true, age: old)]),
                Self.report(.entitlementResolver, 0, []),
            ]))

        #expect(ledger.lost.isEmpty)
    }

    @Test("Where a partition did not answer, nothing is said to be missing of its service, and all of the others'")
    func silence() {
        let key = "\(AppChanged.kind).5"
        let silence = Look.Silence(service: .receiptValidator, partition: 0, why: "gone")
        let ledger = NumberLedger(
            Look(
                at: Self.now,
                counts: [.receiptValidator: .one, .entitlementResolver: PartitionCount(rawValue: 2) ?? .one],
                reports: [
                    Self.report(
                        .entitlementResolver, 0,
                        [
                            Self.numbers(key, seen: [1...3], through: 3),
                            Self.numbers("receipt-validator.5", seen: [2...2], through: 2),
                        ], of: 2),
                    Self.report(.entitlementResolver, 1, [], of: 2),
                ], silent: [silence]))

        #expect(ledger.lost.map(\.service) == [.entitlementResolver])
        #expect(ledger.lost.map(\.partition) == [1])
    }

    @Test("What a publisher sent a moment ago, after its checkpoint or before its first, is not told yet")
    func untold() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [
                        Self.numbers("receipt-validator.5", seen: [1...12], through: 10, age: .seconds(4)),
                        Self.numbers("receipt-validator.6", seen: [1...1], age: .seconds(15)),
                    ])
            ]))

        #expect(ledger.untold.map(\.routingKey) == ["receipt-validator.5", "receipt-validator.6"])
        #expect(ledger.unproven.isEmpty)
    }

    @Test("What a publisher sent before it fell silent for 15 seconds is unproven, with the gaps that are known")
    func unproven() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [
                        Self.numbers(
                            "receipt-validator.5", seen: [1...12, 14...14], through: 10, age: .milliseconds(15_001)),
                        Self.numbers("receipt-validator.6", seen: [1...1], age: .seconds(60)),
                    ])
            ]))

        #expect(ledger.untold.isEmpty)
        #expect(ledger.lost.isEmpty)
        #expect(ledger.unproven.map(\.routingKey) == ["receipt-validator.5", "receipt-validator.6"])
        #expect(ledger.unproven.map(\.numbers) == [NumberSet([13...13]), NumberSet()])
    }

    @Test("A publisher that stopped in order, or is only idle, leaves nothing unproven")
    func inOrder() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [
                        Self.numbers(
                            "receipt-validator.5", seen: [1...10], through: 10, isFinal: true, age: .seconds(600)),
                        Self.numbers("receipt-validator.6", seen: [1...7], through: 7, age: .seconds(600)),
                    ])
            ]))

        #expect(ledger.unproven.isEmpty)
        #expect(ledger.untold.isEmpty)
    }

    @Test("A last word that does not reach to what arrived leaves the rest unproven at once")
    func finalButShort() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [Self.numbers("receipt-validator.5", seen: [1...10], through: 8, isFinal: true)])
            ]))

        #expect(ledger.unproven.count == 1)
    }

    @Test("Numbers under a key that means nothing to this release are compared where they were heard of")
    func unknownKind() {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [
                        Self.numbers("tomorrow.happened.v9.3", seen: [1...1], through: 2),
                        Self.numbers("", seen: [1...1], through: 2), Self.numbers("nodot", seen: [1...2], through: 2),
                    ]),
                Self.report(.entitlementResolver, 0, []),
            ]))

        #expect(ledger.lost.map(\.routingKey) == ["", "tomorrow.happened.v9.3"])
        #expect(ledger.lost.allSatisfy { $0.service == .receiptValidator })
    }

    @Test("Numbers that no publisher of ours would use do not overflow", arguments: [Int.max, Int.min, -1, 0])
    func hostile(through: Int) {
        let ledger = NumberLedger(
            Self.look([
                Self.report(
                    .receiptValidator, 0,
                    [Self.numbers("receipt-validator.5", seen: [1...1, 1 << 53...1 << 53], through: through)])
            ]))

        #expect(ledger.lost.isEmpty == (through <= 0))
    }
}
