import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Forwarding", .timeLimit(.minutes(1)))
struct ForwardTests {
    /// An account of each of four partitions.
    static let accounts: [String] = (0..<4).map { number in
        (0...).lazy.map { "account-\($0)" }.first { Bucket(of: $0).number % 4 == number } ?? ""
    }

    @Test("A message in a partition that does not own its key goes to the one that does, and is applied there once")
    func forwarding() async throws {
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: Self.accounts[2], amount: 5), id: "one", answered: true)
            envelope.acceptedAt = bench.clock.now - .seconds(5)
            for _ in 0..<2 {
                bench.broker.inject(envelope, to: .command(Workbench.service, Bucket.all[1]), as: .load)
                #expect(try await bench.nextAnswer().answer.applied?.total == 5)
            }
            await bench.settle()

            #expect(try await work.total(Self.accounts[2], of: 2) == 5)
            #expect(try await work.inboxCount(of: 1) == 0)
            #expect(
                try await work.contexts(of: 2) == [
                    Told(id: "one", author: "tollgate-load", acceptedAt: bench.clock.now - .seconds(5))
                ])
            #expect(try await bench.report(1).forwarded == 2)
            let copies = bench.journal.published(to: .requeue)
            #expect(copies.map(\.route.routingKey) == ["entitlement-resolver.2.now", "entitlement-resolver.2.now"])
            #expect(copies.allSatisfy { $0.envelope.forwards == 1 && $0.isMandatory })
        }
    }

    @Test(
        "After two forwards nobody owns it: a dead letter, and its sender is told",
        arguments: [2, 3, 1_000_000, Int(Int64.max)])
    func noOwner(forwards: Int) async throws {
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: Self.accounts[2]), id: "one", answered: true)
            envelope.forwards = forwards
            bench.broker.inject(envelope, to: .command(Workbench.service, Bucket.all[1]), as: .load)
            #expect(try await bench.nextAnswer().answer.failed?.reason == "no_owner")
            await bench.settle()

            let letters = try await work.letters(of: 1)
            #expect(letters.map(\.reason) == ["no_owner"] && letters.map(\.step) == ["forward"])
            #expect(bench.journal.published(to: .requeue).isEmpty)
        }
    }

    @Test("The last forward that is allowed is made")
    func lastForward() async throws {
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: Self.accounts[2], amount: 3), id: "one")
            envelope.forwards = 1
            bench.broker.inject(envelope, to: .command(Workbench.service, Bucket.all[1]), as: .load)
            await bench.settle()

            #expect(await eventually { (try? await work.total(Self.accounts[2], of: 2)) == 3 })
        }
    }

    @Test("A message that waited in one partition's ladder when the partitions were cut anew waits there no more")
    func afterReshard() async throws {
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { work in
            let envelope = try bench.envelope(Deposit(account: Self.accounts[2], amount: 3), id: "one")
            try await work.change(
                """
                INSERT INTO retrying (id, bucket, kind, reason, text, attempt, first_failure, due)
                VALUES ('one', 1, 'deposit.v1', 'x', 'x', 1, 0, 0)
                """, of: 1)
            var copy = envelope
            copy.attempt = 1
            copy.firstUser = "tollgate-load"
            bench.broker.inject(copy, to: .requeue(Workbench.service, partition: 1), as: Workbench.user)
            #expect(await eventually { (try? await work.total(Self.accounts[2], of: 2)) == 3 })
            await bench.settle()

            #expect(try await bench.report(1).retrying == 0)
        }
    }
}
