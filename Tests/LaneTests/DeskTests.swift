import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Alarms and condemned messages", .timeLimit(.minutes(1)))
struct DeskTests {
    @Test("An alarm rings once when it is due, not before, and its events have the same ids each time")
    func alarm() async throws {
        var ids: [[MessageID?]] = []
        for _ in 0..<2 {
            let bench = try await Workbench()
            let due = bench.clock.now + .seconds(60)
            try await bench.whileWorking { work in
                for (number, time) in [(1, due), (2, due), (3, due + .seconds(60))] {
                    try await work.change(
                        "INSERT INTO alarms (number, bucket, due) VALUES (?, 0, ?)", SQLValue(number),
                        .integer(time.millisecondsSince1970))
                }
                bench.clock.advance(by: .seconds(60))
                #expect(await eventually { bench.journal.published(to: .events).count == 2 })
                bench.clock.advance(by: .seconds(60))
                #expect(await eventually { bench.journal.published(to: .events).count == 3 })
                #expect(await eventually { (try? await work.outboxCount()) == 0 })
            }

            let published = bench.journal.published(to: .events)
            let numbers = try published.map { try MessageJSON.decode(Deposited.self, from: $0.envelope.body).number }
            #expect(numbers == [1, 2, 3])
            #expect(published.map(\.envelope.acceptedAt) == [due, due, due + .seconds(60)])
            ids.append(published.map(\.envelope.id))
        }
        #expect(ids[0] == ids[1])
        #expect(Set(ids[0]).count == 3)
    }

    @Test("An alarm that was due while nobody worked rings at the start")
    func overdueAlarm() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try await work.change(
                "INSERT INTO alarms (number, bucket, due) VALUES (1, 0, ?)",
                .integer((bench.clock.now + .seconds(60)).millisecondsSince1970))
        }
        bench.clock.advance(by: .seconds(3600))

        try await bench.whileWorking { work in
            #expect(await eventually { bench.journal.published(to: .events).count == 1 })
            let waiting = try await work.number("SELECT count(*) FROM alarms")
            #expect(waiting == 0)
        }
    }

    @Test(
        "What the broker condemned is moved undecoded into the dead letters, saying why, whatever it went through before"
    )
    func condemned() async throws {
        let bench = try await Workbench()
        // Somebody consumes it a hundred and one times and gives it back.
        var envelope = try bench.envelope(Deposit(account: "a"), id: "one")
        envelope.body = [0xFF, 0x00, 0x7B]
        envelope.properties.headers["x-death"] = .array([
            .table(
                HeaderTable([.init(name: "reason", value: .text("expired")), .init(name: "queue", value: .text("q"))]))
        ])
        envelope.properties.headers["x-first-death-reason"] = .text("expired")
        bench.send(envelope, for: "a")
        let session = try await bench.broker.openSession(named: "clumsy")
        let subscription = try await session.subscribe(to: bench.queue(), prefetch: 1)
        for _ in 0..<101 {
            let delivery = try #require(try await subscription.next(upTo: 1, bytes: 1 << 20)?.first)
            await subscription.settle([delivery], .giveBack)
        }
        await session.close()
        #expect(bench.broker.depth(of: "entitlement-resolver.dead") == 1)

        try await bench.whileWorking { work in
            #expect(await eventually { bench.broker.depth(of: "entitlement-resolver.dead") == 0 })
            let letter = try #require(try await work.letters().first)
            #expect(letter.id == "one" && letter.reason == "condemned_by_broker" && letter.step == "delivery")
            #expect(letter.text.contains("delivery_limit"))
            #expect(letter.body == [0xFF, 0x00, 0x7B])
            #expect(letter.properties.headers.text("key") == "a" && letter.properties.userID == "tollgate-load")
            #expect(letter.exchange == "tollgate.dead" && letter.routingKey == "entitlement-resolver")
        }
    }

    @Test(
        "A condemned message's number has arrived, unless it is none, or another's",
        arguments: [
            (7, "attest-gateway", true), (Int64.max, "attest-gateway", false), (-1, "attest-gateway", false),
            (7, "tollgate-load", false),
        ])
    func number(number: Int64, user: String, hasArrived: Bool) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            var envelope = try bench.envelope(Deposit(account: "a"), id: "one")
            envelope.properties.headers["publisher"] = .text("attest-gateway:1")
            envelope.properties.headers["seq"] = .int64(number)
            envelope.properties.headers["x-death"] = .array([
                .table(
                    HeaderTable([
                        .init(name: "reason", value: .text("delivery_limit")),
                        .init(name: "exchange", value: .text("tollgate.commands")),
                        .init(name: "routing-keys", value: .array([.text("entitlement-resolver.3")])),
                    ]))
            ])
            bench.broker.inject(
                envelope, to: Route(exchange: .dead, routingKey: "entitlement-resolver"), as: BrokerUser(rawValue: user)
            )
            #expect(await eventually { bench.broker.depth(of: "entitlement-resolver.dead") == 0 })

            let numbers = try await bench.report().numbers
            #expect(numbers.map(\.seen) == (hasArrived ? [NumberSet([7...7])] : []))
            #expect(numbers.allSatisfy { $0.routingKey == "entitlement-resolver.3" })
        }
    }

    @Test("What strangers put beside it is kept too")
    func strangers() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            bench.broker.inject(
                Envelope(properties: MessageProperties(), body: Array("hello".utf8)),
                to: Route(exchange: .dead, routingKey: "entitlement-resolver"))
            #expect(await eventually { bench.broker.depth(of: "entitlement-resolver.dead") == 0 })

            let letter = try #require(try await work.letters().first)
            #expect(letter.id.hasPrefix("sha256:") && letter.kind == "" && letter.reason == "condemned_by_broker")
            #expect(letter.text.contains("put there by its publisher"))
        }
    }

    @Test(
        "A replayed letter that the broker condemns is a dead letter of its own partition again, and its selection knows",
        arguments: [0, 2])
    func condemnedReplay(partition: Int) async throws {
        let account = ForwardTests.accounts[partition]
        let bench = try await Workbench(partitions: 4)
        try await bench.whileWorking { work in
            try await bench.kill(Deposit(account: account, deed: .fault), id: "one") {
                $0.properties.headers["condemned"] = .text("says a stranger")
            }
            // The broker gives it up instead of delivering it.
            bench.broker.interfere { $0.isReplay ? .isLost(.confirmed) : nil }
            try await bench.freeze("run", partition)
            #expect(try await bench.replay("run", partition).sent == 1)
            bench.broker.interfere(nil)
            #expect(try await bench.outcomes("run", partition) == ["sent": 1])
            var condemned = try #require(bench.journal.published(to: .direct).last?.envelope)
            condemned.properties.headers["x-death"] = .array([
                .table(
                    HeaderTable([
                        .init(name: "reason", value: .text("delivery_limit")),
                        .init(name: "queue", value: .text(bench.queue(partition))),
                    ]))
            ])
            bench.broker.inject(
                condemned, to: Route(exchange: .dead, routingKey: "entitlement-resolver"), as: Workbench.user)

            #expect(await eventually { (try? await bench.outcomes("run", partition)) == ["failed": 1] })
            let letters = try await work.letters(of: partition)
            #expect(letters.map(\.id) == ["one"] && letters.map(\.reason) == ["condemned_by_broker"])
            #expect(letters.map(\.step) == ["delivery"] && letters[0].text.contains("delivery_limit"))
            #expect(letters[0].properties.headers.integer("generation") == 1)
            #expect(letters[0].properties.headers.text("first_user") == "tollgate-load")
            for other in 0..<4 where other != partition { #expect(try await work.letters(of: other).isEmpty) }
            #expect(bench.broker.depth(of: "entitlement-resolver.dead") == 0)

            // Replayed once more it is opened.
            try await bench.freeze("again", partition)
            try await bench.replay("again", partition)
            #expect(await eventually { (try? await bench.outcomes("again", partition)) == ["failed": 1] })
            #expect(try await work.letters(of: partition).map(\.reason) == ["hopeless"])
        }
    }

    @Test("Only partition 0 moves them")
    func onlyTheFirst() async throws {
        let bench = try await Workbench(partitions: 4, own: "1-3")
        bench.broker.inject(
            Envelope(properties: MessageProperties(), body: []),
            to: Route(exchange: .dead, routingKey: "entitlement-resolver"))
        let work = try await bench.start()
        try bench.send(Deposit(account: ForwardTests.accounts[1]))
        #expect(await eventually { bench.broker.depth(of: bench.queue(1)) == 0 })

        #expect(bench.broker.waiting(in: "entitlement-resolver.dead").count == 1)
        try await work.stop()
    }
}
