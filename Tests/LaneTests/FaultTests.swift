import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Faults of messages", .timeLimit(.minutes(1)))
struct FaultTests {
    @Test(
        "A body that is not what its kind asks for is a dead letter at once, byte for byte",
        arguments: [
            "", "{", "null", "[]", "{}", #"{"account":1,"amount":1,"deed":"pay"}"#,
            #"{"account":"a","amount":1,"deed":"steal"}"#, #"{"account":"a","amount":1e99,"deed":"pay"}"#,
            #"{"account":"a","account":"b","amount":1,"deed":"pay"}"#, String(repeating: "[", count: 100_000), "\u{0}",
        ])
    func undecodable(body: String) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a"), id: "one", answered: true)
            envelope.body = Array(body.utf8)
            bench.send(envelope, for: "a")
            #expect(try await bench.nextAnswer().answer.failed?.reason == "undecodable")
            await bench.settle()

            let letter = try #require(try await work.letters().first)
            #expect(letter.id == "one" && letter.kind == "deposit.v1" && letter.reason == "undecodable")
            #expect(letter.step == "decode" && letter.version == "1.2.3" && letter.attempts == 1)
            #expect(letter.body == envelope.body)
            #expect(letter.exchange == "tollgate.commands")
            #expect(letter.routingKey == "entitlement-resolver.\(Bucket(of: "a").number)")
            envelope.properties.userID = "tollgate-load"
            #expect(letter.properties == envelope.properties)
            #expect(try await work.inboxCount() == 0)
            #expect(bench.journal.published(to: .retry).isEmpty)
        }
    }

    @Test(
        "Bytes that are no UTF-8 are a dead letter, not a trap",
        arguments: [[0xFF], [0xED, 0xA0, 0x80], [0xC0, 0xAF]] as [[UInt8]])
    func noUTF8(bytes: [UInt8]) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a"))
            envelope.body = Array(#"{"account":""#.utf8) + bytes + Array(#"","amount":1,"deed":"pay"}"#.utf8)
            bench.send(envelope, for: "a")
            await bench.settle()

            #expect(try await work.letters().map(\.reason) == ["undecodable"])
        }
    }

    @Test("A message without a kind is a dead letter at once")
    func kindMissing() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a"))
            envelope.properties.type = ""
            bench.send(envelope, for: "a")
            await bench.settle()

            #expect(try await work.letters().map(\.reason) == ["kind_missing"])
        }
    }

    @Test("The kind may stand in a header, for tools that cannot set the type")
    func kindInHeader() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a", amount: 7))
            envelope.properties.type = nil
            envelope.properties.headers["kind"] = .text("deposit.v1")
            bench.send(envelope, for: "a")
            await bench.settle()

            #expect(try await work.total("a") == 7)
        }
    }

    @Test("A kind that this release does not know waits in the ladder, and is a dead letter when its time is over")
    func kindUnknown() async throws {
        let bench = try await Workbench()
        let began = bench.clock.now
        try await bench.whileWorking { work in
            var envelope = try bench.envelope(Deposit(account: "a"), id: "one", answered: true)
            envelope.kind = "deposit.v9"
            bench.send(envelope, for: "a")
            await bench.settle()
            #expect(bench.broker.waiting(in: bench.rung(0)).map(\.id?.rawValue) == ["one"])
            #expect(try await work.letters().isEmpty)

            bench.clock.advance(by: .seconds(86_400))
            bench.broker.passTime(.milliseconds(50))
            #expect(try await bench.nextAnswer().answer.failed?.reason == "kind_unknown")
            await bench.settle()

            let letter = try #require(try await work.letters().first)
            #expect(letter.id == "one" && letter.kind == "deposit.v9" && letter.reason == "kind_unknown")
            #expect(letter.firstFailure == began && letter.lastFailure == bench.clock.now && letter.attempts == 2)
            let report = try await bench.report()
            #expect(report.retrying == 0)
            #expect(
                report.dead == [
                    PartitionReport.DeadGroup(reason: "kind_unknown", step: "decode", kind: "deposit.v9", count: 1)
                ])
        }
    }

    @Test(
        "What a handler throws decides what happens",
        arguments: [
            (Deposit.Deed.fault, "hopeless", true), (.violate, "unstorable", true), (.throwUnknown, "failed", false),
            (.wait, "too_early", false),
        ])
    func thrown(deed: Deposit.Deed, reason: String, isDead: Bool) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a", amount: 5, deed: deed), id: "one")
            try bench.send(Deposit(account: "a", amount: 7), id: "two")
            await bench.settle()

            #expect(try await work.total("a") == 7)
            #expect(try await work.inboxCount() == 1)
            #expect(try await work.letters().map(\.reason) == (isDead ? [reason] : []))
            #expect(try await work.letters().allSatisfy { $0.step == "apply" })
            let waiting = try await work.database().read {
                try $0.all("SELECT id, reason FROM retrying") { [try $0.text(0), try $0.text(1)] }
            }
            #expect(waiting == (isDead ? [] : [["one", reason]]))
        }
    }

    @Test(
        "Headers from strangers that hold nonsense neither trap nor steer",
        arguments: [
            ("attempt", .int64(.max)), ("attempt", .uint64(.max)), ("attempt", .int64(.min)),
            ("forwards", .int64(.min)),
            ("generation", .int64(.max)), ("seq", .int64(.max)), ("seq", .int64(.min)),
            ("x-delivery-count", .int64(.min)),
            ("first_failure", .text("tomorrow")), ("first_failure", .text("9999-12-31T23:59:59Z")),
            ("accepted_at", .text("\u{0}")), ("traceparent", .text(String(repeating: "-", count: 10_000))),
            ("cause", .octets([0xFF])), ("publisher", .text(String(repeating: "p", count: 100_000))),
            ("x-death", .text("me")), ("x-death", .array([.void, .table(HeaderTable())])), ("key", .void),
        ] as [(String, HeaderValue)])
    func hostileHeaders(name: String, value: HeaderValue) async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for (index, deed) in [Deposit.Deed.pay, .throwUnknown, .fault].enumerated() {
                var envelope = try bench.envelope(Deposit(account: "a", deed: deed), id: "\(index)")
                envelope.sequence = PublisherNumber(publisher: PublisherID(rawValue: "p"), number: index + 1)
                envelope.properties.headers[name] = value
                bench.send(envelope, for: "a")
            }
            await bench.settle()

            #expect(try await work.total("a") == 1)
            #expect(try await work.letters().map(\.reason) == ["hopeless"])
            let copy = try #require(
                bench.broker.waiting(
                    in: bench.rung(name == "attempt" && value != .int64(.min) && value != .uint64(.max) ? 1 : 0)
                ).first)
            #expect(copy.firstFailure == bench.clock.now)
        }
    }

    @Test("An answer goes to no queue of a service, whatever a stranger asks for")
    func replyToService() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for queue in ["entitlement-resolver.dead", "entitlement-resolver.retry.50ms", "receipt-validator.0"] {
                var envelope = try bench.envelope(Deposit(account: "a"))
                envelope.properties.replyTo = queue
                bench.send(envelope, for: "a")
            }
            try bench.send(Deposit(account: "a"), answered: true)
            #expect(try await bench.nextAnswer().answer.applied?.total == 4)

            #expect(bench.broker.depth(of: "entitlement-resolver.dead") == 0)
            #expect(bench.broker.depth(of: "entitlement-resolver.retry.50ms") == 0)
            #expect(try await work.letters().isEmpty)
        }
    }

    @Test("The same dead letter is kept once")
    func keptOnce() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            for _ in 0..<3 { try bench.send(Deposit(account: "a", deed: .fault), id: "one") }
            try bench.send(Deposit(account: "a", amount: 2, deed: .fault), id: "one")
            await bench.settle()

            #expect(try await work.letters().count == 2)
        }
    }

    @Test("A header that is nested as deep as a broker's client reads it is kept as it is")
    func deepHeaders() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            var value = HeaderValue.array([.void])
            for _ in 0..<63 { value = .table(HeaderTable([.init(name: "", value: value)])) }
            for (id, deed) in [("pay", Deposit.Deed.pay), ("wait", .wait), ("fault", .fault)] {
                var envelope = try bench.envelope(Deposit(account: "a", deed: deed), id: id)
                envelope.properties.headers["deep"] = value
                bench.send(envelope, for: "a")
            }
            await bench.settle()

            #expect(try await work.letters().map(\.properties.headers["deep"]) == [value])
            #expect(bench.broker.waiting(in: bench.rung(0)).map(\.properties.headers["deep"]) == [value])
        }
    }

    @Test("However many kinds of dead letters there are, a report counts them all")
    func manyGroups() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            for number in 0..<1003 {
                var envelope = Envelope(properties: MessageProperties(), body: Array("\(number)".utf8))
                envelope.kind = MessageKind(rawValue: "strange.\(number)")
                envelope.attempt = 1
                envelope.firstFailure = bench.clock.now - .seconds(30 * 86_400)
                bench.send(envelope, for: "a")
            }
            await bench.settle()

            let dead = try await bench.report().dead
            #expect(dead.count == 1001 && dead.last?.count == 3)
            #expect(dead.reduce(0) { $0 + $1.count } == 1003)
        }
    }
}
