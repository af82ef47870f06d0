import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Retry ladder of a lane", .timeLimit(.minutes(1)))
struct LadderTests {
    @Test("A message climbs each rung once, then the last one again, under its id, until it can be applied")
    func climbing() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(
                Deposit(account: "a", amount: 5, deed: .wait, until: began + .seconds(60)), id: "one", answered: true)
            envelope.acceptedAt = began - .seconds(5)
            envelope.sequence = PublisherNumber(publisher: PublisherID(rawValue: "attest-gateway:1"), number: 1)
            envelope.properties.headers["mine"] = .double(1)
            bench.send(envelope, for: "a", as: BrokerUser(of: .attestGateway))

            for (attempt, rung) in [(1, 0), (2, 1), (3, 1), (4, 1)] {
                await bench.settle()
                let copy = try #require(bench.broker.waiting(in: bench.rung(rung)).first)
                #expect(copy.id?.rawValue == "one" && copy.body == envelope.body && copy.kind == "deposit.v1")
                #expect(copy.attempt == attempt && copy.firstFailure == began)
                #expect(copy.firstUser == "attest-gateway" && copy.properties.userID == "entitlement-resolver")
                #expect(copy.acceptedAt == began - .seconds(5) && copy.sequence == envelope.sequence)
                #expect(copy.properties.headers["mine"] == .double(1) && copy.properties.deliveryMode == 2)
                #expect(copy.properties.replyTo == "replies.test" && copy.properties.correlationID == "one")
                #expect(try await bench.report().retrying == 1)
                #expect(try await work.total("a") == 0)
                bench.clock.advance(by: .seconds(10))
                bench.broker.passTime(.milliseconds(100))
            }
            await bench.settle()
            bench.clock.advance(by: .seconds(20))
            bench.broker.passTime(.milliseconds(100))

            #expect(try await bench.nextAnswer().answer.applied?.total == 5)
            await bench.settle()
            #expect(
                try await work.contexts() == [
                    Told(id: "one", author: "attest-gateway", acceptedAt: began - .seconds(5))
                ]
            )
            let report = try await bench.report()
            #expect(report.retrying == 0 && report.applied == 1 && report.dead.isEmpty)
            #expect(report.numbers.first?.seen == NumberSet([1...1]))
        }
    }

    @Test("A long wait in the ladder does not hold up a short one")
    func overtaking() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "long", deed: .wait, until: began + .seconds(600)), id: "long")
            await bench.settle()
            bench.broker.passTime(.milliseconds(50))
            await bench.settle()
            #expect(bench.broker.waiting(in: bench.rung(1)).map(\.id?.rawValue) == ["long"])
            try bench.send(Deposit(account: "short", deed: .wait, until: began + .seconds(1)), id: "short")
            await bench.settle()
            #expect(bench.broker.waiting(in: bench.rung(0)).map(\.id?.rawValue) == ["short"])

            bench.clock.advance(by: .seconds(2))
            bench.broker.passTime(.milliseconds(50))
            await bench.settle()

            #expect(try await work.total("short") == 1)
            #expect(bench.broker.waiting(in: bench.rung(1)).map(\.id?.rawValue) == ["long"])
        }
    }

    @Test("What is given up says how often it was tried, and since when")
    func givenUp() async throws {
        let bench = try await Workbench {
            $0.ladder = RetryLadder(delays: $0.ladder.delays, givesUpAfter: .seconds(15))
        }
        let began = bench.clock.now
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", deed: .wait), id: "one", answered: true)
            for _ in 0..<2 {
                await bench.settle()
                bench.clock.advance(by: .seconds(10))
                bench.broker.passTime(.milliseconds(100))
            }
            #expect(try await bench.nextAnswer().answer.failed?.reason == "too_early")
            await bench.settle()

            let letter = try #require(try await work.letters().first)
            #expect(letter.reason == "too_early" && letter.attempts == 3)
            #expect(letter.firstFailure == began && letter.lastFailure == began + .seconds(20))
            #expect(letter.properties.headers.text("first_user") == "tollgate-load")
            #expect(try await bench.report().retrying == 0)
        }
    }

    @Test("What was on its way into the ladder when the process died waits there no more once it has ended")
    func onItsWay() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            // Noted, and killed before the copy was sent.
            try await work.change(
                """
                INSERT INTO retrying (id, bucket, kind, reason, text, attempt, first_failure, due)
                VALUES ('one', ?, 'deposit.v1', 'x', 'x', 1, 0, 0)
                """, SQLValue(Bucket(of: "a").number))
            bench.send(try bench.envelope(Deposit(account: "a", amount: 3), id: "one"), for: "a", returns: 1)
            await bench.settle()

            #expect(try await work.total("a") == 3)
            #expect(try await bench.report().retrying == 0)
        }
    }

    @Test("The original is acknowledged once its copy is confirmed, and not before")
    func confirmedFirst() async throws {
        let bench = try await Workbench()
        let latch = Latch()
        bench.journal.before { publications in
            if publications.contains(where: { $0.route.exchange == .retry }) { await latch.wait() }
        }
        // Both are there before anybody takes one, so that they share a batch.
        try bench.send(Deposit(account: "a", deed: .wait), id: "one")
        try bench.send(Deposit(account: "a", amount: 4), id: "two", answered: true)
        try await bench.whileWorking { work in
            // A lane that is held cannot be stopped, whatever fails here.
            defer { latch.open() }
            await latch.waitForArrival()

            // What shares a batch with it does not wait for its copy.
            let answer = try await bench.nextAnswer().answer
            #expect(answer.applied?.total == 4)
            #expect(bench.broker.depth(of: bench.queue()) == 1)
            #expect(bench.broker.depth(of: bench.rung(0)) == 0)
            latch.open()
            await bench.settle()
            #expect(bench.broker.depth(of: bench.rung(0)) == 1)
        }
    }

    @Test("A copy that the broker does not confirm is published again, and the original stays until it does")
    func unconfirmed() async throws {
        let bench = try await Workbench()
        let tries = Atomic<Int>(0)
        bench.broker.interfere { publication in
            guard publication.route.exchange == .retry else { return nil }
            switch tries.add(1, ordering: .relaxed).newValue {
            case 1: return .isLost(.refused)
            case 2: return .isLost(.unknown)
            case 3: return .isLost(.returned)
            case 4: return .arrives(.unknown)
            default: return nil
            }
        }
        try await bench.whileWorking { work in
            try bench.send(
                Deposit(account: "a", amount: 5, deed: .wait, until: bench.clock.now + .seconds(1)), id: "one")
            #expect(await eventually(every: .milliseconds(2)) { !work.complaints.isEmpty })
            #expect(work.complaints.first?.contains("copies") == true)
            await bench.settle()

            #expect(work.complaints.isEmpty)
            #expect(tries.load(ordering: .relaxed) == 5)
            // One arrived unbeknown to its publisher; both come back, and one is applied.
            #expect(bench.broker.depth(of: bench.rung(0)) == 2)
            bench.clock.advance(by: .seconds(1))
            bench.broker.passTime(.milliseconds(50))
            await bench.settle()
            #expect(try await work.total("a") == 5)
            #expect(try await bench.report().repeated == 1)
        }
    }

    @Test("When the broker takes no copies for too long, the originals go back to it and nothing of the batch is lost")
    func pausedTooLong() async throws {
        let bench = try await Workbench { $0.limits.pauseLimit = .zero }
        let isBroken = Mutex(true)
        bench.broker.interfere { publication in
            publication.route.exchange == .retry && isBroken.withLock { $0 } ? .isLost(.refused) : nil
        }
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", deed: .wait), id: "one")
            try bench.send(Deposit(account: "b", amount: 2, deed: .announce), id: "two")
            // It comes back, and is tried alone.
            #expect(await eventually(every: .milliseconds(2)) { bench.journal.published(to: .retry).count >= 3 })
            isBroken.withLock { $0 = false }
            await bench.settle()

            #expect(bench.broker.waiting(in: bench.rung(0)).map(\.id?.rawValue) == ["one"])
            #expect(try await work.total("b") == 2)
            #expect(await eventually { (try? await work.outboxCount()) == 0 })
            #expect(Set(bench.journal.published(to: .events).map(\.envelope.id)).count == 2)
            #expect(try await work.letters().isEmpty)
        }
    }

    @Test("A copy that fits into no frame is a dead letter, and stops nobody")
    func unsendable() async throws {
        let bench = try await Workbench()
        bench.broker.interfere { publication in
            publication.route.exchange == .retry && publication.envelope.id?.rawValue == "huge"
                ? .isLost(.notSent(.unsendable)) : nil
        }
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", deed: .wait), id: "huge")
            try bench.send(Deposit(account: "a", amount: 2, deed: .wait), id: "small")
            try bench.send(Deposit(account: "a", amount: 3), id: "other")
            await bench.settle()

            #expect(try await work.total("a") == 3)
            #expect(bench.broker.waiting(in: bench.rung(0)).map(\.id?.rawValue) == ["small"])
            let letters = try await work.letters()
            #expect(letters.map(\.id) == ["huge"] && letters.map(\.reason) == ["too_large"])
            #expect(try await bench.report().retrying == 1)
        }
    }

    @Test("A copy carries nothing by which its author could steer the broker with the service's permissions")
    func copiesDoNotSteer() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a", deed: .wait), id: "one")
            envelope.properties.expiration = "1"
            envelope.properties.headers["CC"] = .array([.text("receipt-validator.0.50ms")])
            envelope.properties.headers["BCC"] = .array([.text("receipt-validator.0.50ms")])
            envelope.properties.headers["x-delivery-count"] = .int64(1)
            envelope.properties.headers["x-death"] = .array([])
            envelope.properties.headers["x-first-death-reason"] = .text("expired")
            envelope.properties.headers["x-last-death-queue"] = .text("q")
            envelope.properties.headers["x-mine"] = .void
            bench.send(envelope, for: "a")
            await bench.settle()

            let copy = try #require(bench.broker.waiting(in: bench.rung(0)).first)
            #expect(copy.properties.expiration == nil)
            #expect(
                Set(copy.properties.headers.entries.map(\.name)) == [
                    "key", "x-mine", "attempt", "first_failure", "first_user", "accepted_at",
                ])
        }
    }

    @Test("What does not come back from the ladder shows as overdue")
    func overdue() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", deed: .wait), id: "one")
            await bench.settle()
            bench.broker.delete(queue: bench.rung(0))
            #expect(try await bench.report().overdue == 0)

            bench.clock.advance(by: .seconds(61))

            #expect(try await bench.report().overdue == 1)
        }
    }
}
