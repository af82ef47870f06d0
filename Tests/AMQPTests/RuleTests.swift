import AMQP
import Messages
import Messaging
import Testing

@Suite("Connecting again")
struct ReconnectTests {
    @Test("While it has never been connected it tries often")
    func starting() {
        var machine = ReconnectStateMachine()

        let waits = (0..<6).map { _ in machine.failed() }

        #expect(waits == [50, 100, 200, 400, 500, 500].map { .wait(.milliseconds($0)) })
    }

    @Test("A connection that lasted is made again at once, then less and less often")
    func lasting() {
        var machine = ReconnectStateMachine()
        machine.connected()

        #expect(machine.failed(after: .seconds(5)) == .connect)
        let waits = (0..<12).map { _ in machine.failed() }

        #expect(Array(waits[..<3]) == [50, 100, 200].map { .wait(.milliseconds($0)) })
        #expect(waits.last == .wait(.seconds(5)))
    }

    @Test("A connection that ends as soon as it is made counts as a failure")
    func flapping() {
        var machine = ReconnectStateMachine()
        var waits: [ReconnectStateMachine.Action] = []

        for _ in 0..<4 {
            machine.connected()
            waits.append(machine.failed(after: .milliseconds(10)))
        }

        #expect(waits == [50, 100, 200, 400].map { .wait(.milliseconds($0)) })
    }
}

@Suite("Why the broker closed a channel")
struct ClosingReasonTests {
    @Test("An argument that differs is named with both values and what to do")
    func differs() {
        let reason = ClosingReason(
            code: 406,
            text: """
                PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'a.retry.1s' in vhost '/': received \
                '77000' but current is '1000'
                """)

        let error = reason.error(about: "queue a.retry.1s")

        guard case .differs(let text) = error else { return #expect(Bool(false), "\(error)") }
        for part in ["queue a.retry.1s", "x-message-ttl", "'1000'", "'77000'", "delete it"] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test(
        "Codes become errors",
        arguments: [
            (UInt16(403), BrokerError.notAllowed("text")), (530, .notAllowed("text")),
            (404, .missing("queue q (text)")),
            (406, .differs("queue q: text")), (320, .disconnected("text")), (541, .unexpected("541 text (queue q)")),
            (405, .ownedElsewhere(queue: "queue q")),
        ])
    func codes(code: UInt16, error: BrokerError) {
        #expect(ClosingReason(code: code, text: "text").error(about: "queue q") == error)
    }

    @Test("A locked queue is named as the broker names it")
    func locked() {
        let text = "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'a.0.queries' in vhost '/'."

        #expect(
            ClosingReason(code: 405, text: text).error(about: "queue x") == .ownedElsewhere(queue: "a.0.queries"))
    }

    @Test(
        "Cut or odd texts of a difference do no harm",
        arguments: [
            "inequivalent arg '", "inequivalent arg 'x' received '",
            "inequivalent arg 'x': received 'a' but current is '",
            "inequivalent arg 'x': received none but current is the value '1' of type 'long'", "",
        ])
    func oddTexts(text: String) {
        guard case .differs = ClosingReason(code: 406, text: text).error(about: "queue q") else {
            return #expect(Bool(false))
        }
    }
}

@Suite("Putting a message together")
struct ContentAssemblerTests {
    @Test("A body comes in as many frames as it likes", arguments: [[5], [2, 3], [1, 1, 1, 1, 1]])
    func pieces(sizes: [Int]) throws {
        var assembler = ContentAssembler()
        var envelope = try assembler.header(MessageProperties(), bodySize: 5)
        var next: UInt8 = 0

        for size in sizes {
            #expect(envelope == nil)
            envelope = try assembler.body(
                (0..<size).map { _ in
                    next += 1
                    return next
                })
        }

        #expect(envelope?.body == [1, 2, 3, 4, 5])
        #expect(try assembler.header(MessageProperties(), bodySize: 0)?.body == [])
    }

    @Test("Frames that make no message are refused")
    func nonsense() throws {
        var assembler = ContentAssembler()
        #expect(throws: BrokerError.self) { _ = try assembler.body([1]) }
        _ = try assembler.header(MessageProperties(), bodySize: 2)
        #expect(throws: BrokerError.self) { _ = try assembler.header(MessageProperties(), bodySize: 2) }
        #expect(throws: BrokerError.self) { _ = try assembler.body([1, 2, 3]) }
        var other = ContentAssembler()
        #expect(throws: BrokerError.self) {
            _ = try other.header(MessageProperties(), bodySize: ContentAssembler.largestBody + 1)
        }
    }
}
