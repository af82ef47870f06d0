import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Numbers, checkpoints and reports of a partition", .timeLimit(.minutes(1)))
struct ReconcilingTests {
    private func numbered(
        _ bench: Workbench, _ number: Int, by publisher: String = "attest-gateway:1", id: String? = nil
    ) throws {
        var envelope = try bench.envelope(Deposit(account: "a"), id: id ?? "\(publisher)-\(number)")
        envelope.sequence = PublisherNumber(publisher: PublisherID(rawValue: publisher), number: number)
        bench.send(envelope, for: "a", as: Self.gateway)
    }

    private func tell(_ bench: Workbench, through: Int, unconfirmed: [ClosedRange<Int>] = [], isFinal: Bool = false)
        throws
    {
        let checkpoint = PublisherCheckpoint(
            publisher: PublisherID(rawValue: "attest-gateway:1"), routingKey: Self.key, through: through,
            unconfirmed: NumberSet(unconfirmed), isFinal: isFinal)
        let envelope = Envelope(
            kind: PublisherCheckpoint.kind, id: MessageID(at: bench.clock.now), body: try MessageJSON.encode(checkpoint)
        )
        bench.send(envelope, for: "a", as: Self.gateway)
    }

    private static let gateway = BrokerUser(of: .attestGateway)
    private static let key = Route.command(Workbench.service, Bucket(of: "a")).routingKey

    @Test("A partition keeps which numbers have arrived, over restarts, in whatever order and however often they come")
    func seen() async throws {
        let bench = try await Workbench()
        for numbers in [[1, 2, 3, 7], [2, 9, 8, 5], [4, 12, 1], [6]] {
            try await bench.whileWorking { _ in
                for number in numbers { try numbered(bench, number) }
                await bench.settle()
                // A batch without a new number changes nothing.
                for number in numbers { try numbered(bench, number) }
                try numbered(bench, 1, by: "attest-gateway:2", id: "q")
                await bench.settle()
            }
        }

        try await bench.whileWorking { work in
            let report = try await bench.report()
            #expect(report.numbers.map(\.publisher.rawValue) == ["attest-gateway:1", "attest-gateway:2"])
            #expect(report.numbers.map(\.seen) == [NumberSet([1...9, 12...12]), NumberSet([1...1])])
            #expect(report.numbers.allSatisfy { $0.routingKey == Self.key && $0.lastSeenAt == bench.clock.now })
            // Ranges that grew together are one row.
            #expect(try await work.number("SELECT count(*) FROM numbers") == 3)
        }
    }

    @Test(
        "What came through the ladder, a forward or a replay has been counted where it came first",
        arguments: [
            Route.requeue(Workbench.service, partition: 0), .reply("entitlement-resolver.0"),
        ])
    func copiesNotCounted(route: Route) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            var envelope = try bench.envelope(Deposit(account: "a"), id: "copy")
            envelope.sequence = PublisherNumber(publisher: PublisherID(of: Workbench.service, instance: "1"), number: 4)
            bench.broker.inject(envelope, to: route, as: Workbench.user)
            await bench.settle()

            #expect(try await bench.report().numbers.isEmpty)
        }
    }

    @Test(
        "Numbers and checkpoints in another's name, or from anybody but a service, are not taken: a stranger hides no loss and invents none",
        arguments: [
            (BrokerUser.load, "attest-gateway:1"), (.load, "tollgate-load:1"), (.operatorTool, "attest-gateway:1"),
            (BrokerUser(of: .receiptValidator), "attest-gateway:1"), (gateway, "attest-gateway"), (gateway, "1"),
            (nil, "attest-gateway:1"), (nil, ":1"),
        ])
    func anothersName(user: BrokerUser?, publisher: String) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a"), id: "forged")
            envelope.sequence = PublisherNumber(publisher: PublisherID(rawValue: publisher), number: 3)
            envelope.firstUser = "attest-gateway"
            bench.send(envelope, for: "a", as: user)
            let checkpoint = PublisherCheckpoint(
                publisher: PublisherID(rawValue: publisher), routingKey: Self.key, through: 1000,
                unconfirmed: NumberSet(), isFinal: true)
            bench.send(
                Envelope(
                    kind: PublisherCheckpoint.kind, id: MessageID(rawValue: "c"),
                    body: try MessageJSON.encode(checkpoint)), for: "a", as: user)
            await bench.settle()

            #expect(try await bench.report().numbers.isEmpty)
            #expect(try await work.letters().map(\.reason) == ["not_from_owner"])
            #expect(try await work.total("a") == 1)
        }
    }

    @Test("Numbers are counted whatever becomes of the message")
    func whateverBecomes() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            for (index, deed) in [Deposit.Deed.pay, .refuse, .fault, .wait, .violate].enumerated() {
                var envelope = try bench.envelope(Deposit(account: "a", deed: deed))
                envelope.sequence = PublisherNumber(
                    publisher: PublisherID(rawValue: "attest-gateway:1"), number: index + 1)
                bench.send(envelope, for: "a", as: Self.gateway)
            }
            await bench.settle()

            #expect(try await bench.report().numbers.map(\.seen) == [NumberSet([1...5])])
        }
    }

    @Test("Of checkpoints the farthest is kept, and whatever was ever unconfirmed")
    func checkpointsKept() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try tell(bench, through: 10, unconfirmed: [3...3])
            try tell(bench, through: 20, unconfirmed: [15...16], isFinal: true)
            // Late, out of order.
            try tell(bench, through: 5, unconfirmed: [4...4])
            await bench.settle()

            let numbers = try #require(try await bench.report().numbers.first)
            #expect(numbers.checkpoint?.through == 20)
            #expect(numbers.checkpoint?.unconfirmed == NumberSet([3...4, 15...16]))
            #expect(numbers.checkpoint?.isFinal == true)
            #expect(numbers.checkpointAt == bench.clock.now && numbers.lastSeenAt == nil)
            #expect(try await work.inboxCount() == 0)
        }
    }

    @Test(
        "A checkpoint that cannot be is a dead letter",
        arguments: [
            "", "{}",
            #"{"publisher":"attest-gateway:1","routingKey":"k","through":-1,"unconfirmed":[],"isFinal":false}"#,
            #"{"publisher":"attest-gateway:1","routingKey":"k","through":9223372036854775807,"unconfirmed":[],"isFinal":false}"#,
            #"{"publisher":"attest-gateway:1","routingKey":"k","through":1,"unconfirmed":[[1,9223372036854775807]],"isFinal":false}"#,
            #"{"publisher":"attest-gateway:1","routingKey":"k","through":1,"unconfirmed":[[5,1]],"isFinal":false}"#,
        ])
    func noCheckpoint(body: String) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            bench.send(
                Envelope(kind: PublisherCheckpoint.kind, id: MessageID(rawValue: "c"), body: Array(body.utf8)),
                for: "a", as: Self.gateway)
            await bench.settle()

            let letters = try await work.letters()
            #expect(letters.map(\.reason) == ["undecodable"])
            #expect(try await bench.report().numbers.isEmpty)
        }
    }

    @Test("Publishers of whom nothing came for long are forgotten, in the store and in memory")
    func forgotten() async throws {
        let bench = try await Workbench {
            $0.limits.upkeepInterval = .nanoseconds(1)
            $0.limits.inboxKept = .seconds(3600)
        }
        try await bench.whileWorking { _ in
            try numbered(bench, 1, by: "attest-gateway:old")
            try tell(bench, through: 1)
            await bench.settle()
            bench.clock.advance(by: .seconds(3601))
            try numbered(bench, 1, by: "attest-gateway:new")
            await bench.settle()
            try numbered(bench, 2, by: "attest-gateway:new")
            await bench.settle()

            #expect(try await bench.report().numbers.map(\.publisher.rawValue) == ["attest-gateway:new"])
            // It begins anew, as if it had never been there.
            try numbered(bench, 5, by: "attest-gateway:old")
            await bench.settle()
            #expect(try await bench.report().numbers.map(\.seen) == [NumberSet([1...2]), NumberSet([5...5])])
        }
    }

    @Test("A report adds up: what arrived is applied, refused, waiting, passed on or dead")
    func addsUp() async throws {
        let bench = try await Workbench(partitions: 4)
        var number = 0
        func send(_ deposit: Deposit, times: Int = 1, kind: MessageKind? = nil, to bucket: Bucket) throws {
            for _ in 0..<times {
                number += 1
                var envelope = try bench.envelope(deposit)
                if let kind { envelope.kind = kind }
                envelope.sequence = PublisherNumber(
                    publisher: PublisherID(rawValue: "attest-gateway:1"), number: number)
                bench.broker.inject(envelope, to: .command(Workbench.service, bucket), as: Self.gateway)
            }
        }
        try await bench.whileWorking { work in
            let own = ForwardTests.accounts[0]
            try send(Deposit(account: own), times: 5, to: Bucket.all[0])
            try send(Deposit(account: own, deed: .refuse), times: 4, to: Bucket.all[0])
            try send(Deposit(account: own, deed: .wait), times: 3, to: Bucket.all[0])
            try send(Deposit(account: own, deed: .fault), times: 2, to: Bucket.all[0])
            try send(Deposit(account: own), kind: "unheard.v1", to: Bucket.all[0])
            try send(Deposit(account: ForwardTests.accounts[3]), times: 6, to: Bucket.all[0])
            await bench.settle()
            #expect(await eventually { (try? await work.total(ForwardTests.accounts[3], of: 3)) == 6 })

            let report = try await bench.report(0)
            #expect(report.service == Workbench.service && report.partition == 0 && report.partitions == 4)
            #expect(report.applied == 5 && report.refused == 4 && report.retrying == 4 && report.forwarded == 6)
            #expect(report.dead.map(\.count) == [2] && report.repeated == 0 && report.overdue == 0)
            let arrived = report.numbers.reduce(0) { $0 + $1.seen.count }
            let ended =
                report.applied + report.refused + report.retrying + report.forwarded
                + report.dead.reduce(0) { $0 + $1.count }
            #expect(arrived == number && ended == number)
            // Forwards are counted where they came first.
            #expect(try await bench.report(3).numbers.isEmpty)
            #expect(try await bench.report(3).applied == 6)
        }
    }

    @Test("From end to end: what a service announces is numbered, and its checkpoint names the same numbers")
    func endToEnd() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 5, deed: .announce))
            #expect(await eventually { bench.journal.published(to: .events).count == 5 })

            let numbers = bench.journal.published(to: .events).map(\.envelope.sequence)
            #expect(numbers.map(\.?.number) == [1, 2, 3, 4, 5])
            #expect(numbers.allSatisfy { $0?.publisher == work.publisher.id })
        }
    }
}
