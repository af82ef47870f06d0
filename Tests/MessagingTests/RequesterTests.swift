import Messages
import Messaging
import TestSupport
import Testing

@Suite("Asking a service")
struct RequesterTests {
    private let broker = InMemoryBroker(topology: Topology(Topology.Layout()))
    private let question = HoldingsPage(partition: 0)

    @Test("Each of many questions gets its own answer")
    func answers() async throws {
        try await asking { requester in
            try await withResponder(answering: Self.echo) {
                let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            let question = HoldingsPage(partition: 0, after: Int64(number))
                            let answer = try await requester.ask(question, within: .seconds(30))
                            guard case .applied(let page) = answer else { return true }
                            return page.next != Int64(number)
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(wrong == 0)
            }
        }
    }

    @Test("Where nobody owns the partition there is no owner")
    func noOwner() async throws {
        try await asking { requester in
            await #expect(throws: RequestError.noOwner) {
                _ = try await requester.ask(question, within: .seconds(30))
            }
        }
    }

    @Test("Where no answer comes there is a deadline")
    func deadline() async throws {
        try await asking { requester in
            // Once this is answered the reply queue stands: the deadline is for the answer alone.
            _ = try? await requester.ask(question, within: .seconds(30))
            try await withResponder(answering: { _ in nil }) {
                await #expect(throws: RequestError.deadline) {
                    _ = try await requester.ask(question, within: .milliseconds(200))
                }
            }
        }
    }

    @Test("An answer that is none is undecodable", arguments: ["", "[]", "{\"outcome\":\"applied\"}"])
    func undecodable(text: String) async throws {
        try await asking { requester in
            try await withResponder(answering: { _ in Array(text.utf8) }) {
                let error = await #expect(throws: RequestError.self) {
                    _ = try await requester.ask(question, within: .seconds(30))
                }
                guard case .undecodable = error else { return #expect(Bool(false), "\(String(describing: error))") }
            }
        }
    }

    @Test("A question that the broker does not take says why")
    func blocked() async throws {
        try await asking { requester in
            try await withResponder(answering: Self.echo) {
                broker.block()
                await #expect(throws: RequestError.unavailable(.notSent(.blocked))) {
                    _ = try await requester.ask(question, within: .seconds(30))
                }
            }
        }
    }

    @Test("When the connection is lost those who wait are told; later questions are answered again")
    func lost() async throws {
        try await asking { requester in
            try await withResponder(answering: { _ in nil }) {
                let waiting = Task { try await requester.ask(question, within: .seconds(30)) }
                let isAsked = await eventually { broker.depth(of: Self.queue) > 0 }
                #expect(isAsked)
                broker.goDown()
                await #expect(throws: RequestError.disconnected) { _ = try await waiting.value }
            }

            broker.comeUp()
            try await withResponder(answering: Self.echo) {
                let answer = try await requester.ask(question, within: .seconds(30))
                guard case .applied = answer else { return #expect(Bool(false), "\(answer)") }
            }
        }
    }

    @Test("A command names where its answer is to go, and its answer comes from there")
    func command() async throws {
        try await asking { requester in
            let command = UserIdentify(
                organisation: OrganisationID(rawValue: "o"), app: AppID(rawValue: "a"), user: AppUserID(rawValue: "u"),
                trust: .unverified)
            try await withResponder(
                on: "entitlement-resolver.0",
                answering: { _ in Array("{\"outcome\":\"refused\",\"reason\":\"r\",\"message\":\"m\"}".utf8) }
            ) {
                let answer = try await requester.command(command, within: .seconds(30))
                guard case .refused(let refusal) = answer else { return #expect(Bool(false), "\(answer)") }
                #expect(refusal == Refusal("r", "m"))
            }
        }
    }

    // MARK: The other side

    private static let queue = Topology.queries(.entitlementResolver, 0, of: .one).queue

    /// Answers with what was asked.
    @Sendable private static func echo(_ body: [UInt8]) -> [UInt8]? {
        guard let question = try? MessageJSON.decode(HoldingsPage.self, from: body) else { return nil }
        return try? MessageJSON.encode(
            Answer.applied(HoldingsPage.Value(holdings: [], next: question.after)))
    }

    private func asking(_ body: (Requester) async throws -> Void) async throws {
        let requester = Requester(user: BrokerUser(rawValue: "test"), broker: broker)
        let running = Task { try await requester.run() }
        defer { running.cancel() }
        try await body(requester)
    }

    /// Answers what comes into a queue while `body` runs; nil: not at all.
    private func withResponder(
        on queue: String = RequesterTests.queue, answering answer: @escaping @Sendable ([UInt8]) -> [UInt8]?,
        _ body: () async throws -> Void
    ) async throws {
        let session = try await broker.openSession(named: "responder")
        if queue == Self.queue {
            let (queue, bindings) = Topology.queries(.entitlementResolver, 0, of: .one)
            try await session.declareExclusive(queue: queue, bindings: bindings)
        }
        let subscription = try await session.subscribe(to: queue, prefetch: 1000)
        let publisher = broker.publisher
        let responding = Task {
            while let deliveries = try await subscription.next(upTo: 100, bytes: 1 << 20) {
                for delivery in deliveries {
                    guard let body = answer(delivery.envelope.body),
                        let replyTo = delivery.envelope.properties.replyTo
                    else { continue }
                    var reply = Envelope(kind: "reply", id: MessageID(at: .now), body: body)
                    reply.properties.correlationID = delivery.envelope.properties.correlationID
                    await publisher.send([Publication(reply, to: .reply(replyTo), isMandatory: false)])
                }
            }
        }
        defer { responding.cancel() }
        try await body()
        await session.close()
    }
}
