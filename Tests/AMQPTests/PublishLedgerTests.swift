import AMQP
import Messages
import Messaging
import Synchronization
import Testing

@Suite("The publisher's ledger")
struct PublishLedgerTests {
    @Test("Nothing is sent before there is a connection; then everything, in order")
    func order() {
        var desk = Desk(connected: false)
        desk.submit(["a", "b"])
        desk.submit(["c"])
        #expect(desk.sendAll() == [])

        desk.ledger.connected(largestProperties: 1000)

        #expect(desk.sendAll() == ["a", "b", "c"])
    }

    @Test("A caller is answered once all its publications are, in its own order")
    func answers() {
        var desk = Desk()
        let call = desk.submit(["a", "b", "c"])
        _ = desk.sendAll()

        desk.ledger.confirmed(3, upTo: false)
        desk.ledger.refused(1, upTo: false)
        #expect(desk.outcomes(of: call) == nil)
        desk.ledger.confirmed(2, upTo: false)

        #expect(desk.outcomes(of: call) == [.refused, .confirmed, .confirmed])
    }

    @Test("A confirmation up to a number covers all before it that are not answered yet")
    func upTo() {
        var desk = Desk()
        let calls = ["a", "b", "c", "d"].map { desk.submit([$0]) }
        _ = desk.sendAll()

        desk.ledger.refused(2, upTo: false)
        desk.ledger.confirmed(3, upTo: true)

        #expect(calls.map { desk.outcomes(of: $0) } == [[.confirmed], [.refused], [.confirmed], nil])
    }

    @Test(
        "Numbers that were never given, or are answered already, change nothing", arguments: [0, 3, 1000, UInt64.max])
    func strangeNumbers(tag: UInt64) {
        var desk = Desk()
        let call = desk.submit(["a", "b"])
        _ = desk.sendAll()
        desk.ledger.confirmed(1, upTo: false)

        desk.ledger.confirmed(tag, upTo: false)
        desk.ledger.refused(tag, upTo: true)
        desk.ledger.refused(1, upTo: false)
        desk.ledger.confirmed(2, upTo: false)

        #expect(desk.outcomes(of: call) == [.confirmed, .confirmed])
    }

    @Test("What comes back is returned although it is confirmed after; among equal ones, the first")
    func returned() throws {
        var desk = Desk()
        let calls = ["a", "b", "b", "c"].map { desk.submit([$0], isMandatory: true) }
        _ = desk.sendAll()

        desk.ledger.returned(Desk.envelope("b"), exchange: Exchange.commands.rawValue, routingKey: "key")
        desk.ledger.confirmed(4, upTo: true)

        #expect(
            calls.map { desk.outcomes(of: $0) } == [[.confirmed], [.returned], [.confirmed], [.confirmed]])
    }

    @Test("No more is unanswered than the window allows")
    func window() {
        var desk = Desk(limits: { $0.window = 2 })
        desk.submit(["a", "b", "c", "d"])

        #expect(desk.sendAll() == ["a", "b"])
        desk.ledger.confirmed(2, upTo: false)
        #expect(desk.sendAll() == ["c"])
        desk.ledger.confirmed(3, upTo: true)
        #expect(desk.sendAll() == ["d"])
    }

    @Test("Beyond the bounds a publication is not taken, but a single large one is")
    func bounds() {
        var desk = Desk(limits: {
            $0.count = 2
            $0.bytes = 10_000
        })
        let large = desk.submit([String(repeating: "x", count: 50_000)])
        let small = desk.submit(["a"])
        _ = desk.sendAll()
        desk.ledger.confirmed(1, upTo: false)
        let three = desk.submit(["a", "b", "c"])
        _ = desk.sendAll()
        desk.ledger.confirmed(3, upTo: true)

        #expect(desk.outcomes(of: large) == [.confirmed])
        #expect(desk.outcomes(of: small) == [.notSent(.overloaded)])
        #expect(desk.outcomes(of: three) == [.confirmed, .confirmed, .notSent(.overloaded)])
        #expect(desk.ledger.count == 0)
    }

    @Test("At its deadline what was sent is unknown, what was not is not sent; what the broker says later is taken")
    func deadline() {
        var desk = Desk(limits: { $0.window = 1 })
        let early = desk.submit(["a", "b"], within: .seconds(1))
        let late = desk.submit(["c"], within: .seconds(9))
        #expect(desk.sendAll() == ["a"])

        desk.pass(.seconds(2))
        #expect(desk.outcomes(of: early) == [.unknown, .notSent(.deadline)])
        #expect(desk.sendAll() == [])
        desk.ledger.confirmed(1, upTo: false)
        #expect(desk.sendAll() == ["c"])
        desk.ledger.confirmed(2, upTo: false)

        #expect(desk.outcomes(of: late) == [.confirmed])
    }

    @Test("What is past its deadline is not sent, even if nobody has swept")
    func deadlineWithoutSweep() {
        var desk = Desk(connected: false)
        let call = desk.submit(["a"], within: .milliseconds(100))
        desk.now += .milliseconds(100)
        desk.ledger.connected(largestProperties: 1000)

        #expect(desk.sendAll() == [])
        #expect(desk.outcomes(of: call) == [.notSent(.deadline)])
    }

    @Test("When the connection is lost what was sent is unknown; the rest waits a moment for the next one")
    func lost() {
        var desk = Desk(limits: { $0.window = 2 })
        let call = desk.submit(["a", "b", "c"], isMandatory: true)
        _ = desk.sendAll()
        desk.ledger.returned(Desk.envelope("b"), exchange: Exchange.commands.rawValue, routingKey: "key")

        desk.ledger.disconnected(now: desk.now)
        desk.ledger.connected(largestProperties: 1000)
        #expect(desk.sendAll() == ["c"])
        desk.ledger.confirmed(1, upTo: false)

        #expect(desk.outcomes(of: call) == [.unknown, .returned, .confirmed])
    }

    @Test("Without a connection callers are told so after the moment, and at once after that")
    func disconnected() {
        var desk = Desk()
        desk.ledger.disconnected(now: desk.now)
        let soon = desk.submit(["a"])
        desk.pass(.milliseconds(249))
        #expect(desk.outcomes(of: soon) == nil)
        desk.pass(.milliseconds(1))

        #expect(desk.outcomes(of: soon) == [.notSent(.disconnected)])
        #expect(desk.outcomes(of: desk.submit(["b"])) == [.notSent(.disconnected)])
    }

    @Test("A blocked broker is told at once to those who wait and those who come; what was sent may still be answered")
    func blocked() {
        var desk = Desk(limits: { $0.window = 1 })
        let sent = desk.submit(["a"])
        let waiting = desk.submit(["b"])
        _ = desk.sendAll()

        desk.ledger.blocked()
        let coming = desk.submit(["c"])
        #expect(desk.outcomes(of: sent) == nil)
        #expect(desk.outcomes(of: waiting) == [.notSent(.blocked)])
        #expect(desk.outcomes(of: coming) == [.notSent(.blocked)])
        desk.ledger.unblocked()
        desk.ledger.confirmed(1, upTo: false)
        let after = desk.submit(["d"])

        #expect(desk.outcomes(of: sent) == [.confirmed])
        #expect(desk.sendAll() == ["d"])
        #expect(desk.outcomes(of: after) == nil)
    }

    @Test("A connection that begins anew is not blocked")
    func blockedThenLost() {
        var desk = Desk()
        desk.ledger.blocked()
        desk.ledger.disconnected(now: desk.now)
        desk.ledger.unblocked()
        desk.submit(["a"])
        #expect(desk.sendAll() == [])

        desk.ledger.connected(largestProperties: 1000)

        #expect(desk.sendAll() == ["a"])
    }

    @Test("A publication that the broker closes the channel over is refused, and those behind it are sent again")
    func channelClosed() {
        var desk = Desk(limits: { $0.window = 4 })
        let before = desk.submit(["a"])
        let offender = desk.submit(["b"], to: .retry)
        let behind = desk.submit(["c", "d"])
        let waiting = desk.submit(["e"])
        #expect(desk.sendAll() == ["a", "b", "c", "d"])
        desk.ledger.confirmed(1, upTo: false)

        desk.ledger.channelClosed(over: Exchange.retry.rawValue, routingKey: nil)
        #expect(desk.sendAll() == ["c", "d", "e"])
        desk.ledger.confirmed(3, upTo: true)

        #expect(desk.outcomes(of: before) == [.confirmed])
        #expect(desk.outcomes(of: offender) == [.refused])
        #expect(desk.outcomes(of: behind) == [.confirmed, .confirmed])
        #expect(desk.outcomes(of: waiting) == [.confirmed])
    }

    @Test("Where nobody can tell over which, all are unknown")
    func channelClosedOverNothing() {
        var desk = Desk()
        let call = desk.submit(["a", "b"])
        _ = desk.sendAll()

        desk.ledger.channelClosed(over: nil, routingKey: nil)

        #expect(desk.outcomes(of: call) == [.unknown, .unknown])
    }

    @Test("What can never be put into a frame is unsendable")
    func unsendable() {
        var desk = Desk()
        let sizes = desk.submit(["a", "b"], propertiesSize: 1001)
        let shapes = desk.submit(["a"], propertiesSize: nil)
        let key = desk.submit(["a"], routingKey: String(repeating: "k", count: 256))

        #expect(desk.outcomes(of: sizes) == [.notSent(.unsendable), .notSent(.unsendable)])
        #expect(desk.outcomes(of: shapes) == [.notSent(.unsendable)])
        #expect(desk.outcomes(of: key) == [.notSent(.unsendable)])
    }

    @Test("Once stopped it answers everybody, and at once from then on")
    func stopped() {
        var desk = Desk(limits: { $0.window = 1 })
        let call = desk.submit(["a", "b"])
        _ = desk.sendAll()

        desk.ledger.stopped(now: desk.now)

        #expect(desk.outcomes(of: call) == [.unknown, .notSent(.disconnected)])
        #expect(desk.outcomes(of: desk.submit(["c"])) == [.notSent(.disconnected)])
    }
}

/// A ledger with a clock of its own, and callers that write down what they are told.
private struct Desk {
    final class Answer: Sendable {
        let outcomes = Mutex<[PublishOutcome]?>(nil)
    }

    var ledger: PublishLedger
    var now = ContinuousClock.now

    init(connected: Bool = true, limits change: (inout PublishLedger.Limits) -> Void = { _ in }) {
        var limits = PublishLedger.Limits()
        change(&limits)
        ledger = PublishLedger(limits: limits, now: now)
        if connected { ledger.connected(largestProperties: 1000) }
    }

    static func envelope(_ body: String) -> Envelope {
        Envelope(kind: "test.v1", id: MessageID(rawValue: body), body: Array(body.utf8))
    }

    @discardableResult
    mutating func submit(
        _ bodies: [String], to exchange: Exchange = .commands, routingKey: String = "key", isMandatory: Bool = false,
        propertiesSize: Int? = 100, within limit: Duration = .seconds(60)
    ) -> Answer {
        let answer = Answer()
        let call = PublishLedger.Call(count: bodies.count, deadline: now + limit) { outcomes in
            answer.outcomes.withLock { $0 = outcomes }
        }
        let publications = bodies.map { body in
            Publication(
                Self.envelope(body), to: Route(exchange: exchange, routingKey: routingKey), isMandatory: isMandatory)
        }
        let sizes = bodies.map { _ in propertiesSize }
        _ = ledger.submit(publications, propertiesSizes: sizes, for: call, now: now)
        return answer
    }

    mutating func sendAll() -> [String] {
        var sent: [String] = []
        while let next = ledger.next(now: now) {
            sent.append(String(decoding: next.all[next.place].envelope.body, as: UTF8.self))
        }
        return sent
    }

    mutating func pass(_ duration: Duration) {
        now += duration
        ledger.sweep(now: now)
    }

    mutating func outcomes(of answer: Answer) -> [PublishOutcome]? {
        for call in ledger.takeFinished() { call.resume() }
        return answer.outcomes.withLock { $0 }
    }
}
