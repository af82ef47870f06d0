import AMQP
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("Publishing to RabbitMQ")
struct PublishingTests {
    let service = OneService()

    @Test("Bodies from nothing to many frames arrive as they were", arguments: [0, 1, 131_064, 131_065, 10_000_000])
    func bodies(size: Int) async throws {
        try await withQueue { broker, session in
            var random = SeededGenerator(seed: UInt64(size))
            let body = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }

            #expect(await broker.publisher.publish(service.command(body)) == .confirmed)

            let delivery = try await session.take(1, from: service.queue)[0]
            #expect(delivery.envelope.body == body)
        }
    }

    @Test("Headers that fill a frame to the last byte arrive, also when the broker has added its own")
    func largestHeaders() async throws {
        try await withQueue { broker, session in
            let publication = Self.filled(service.command(), to: 131_072 - 8 - 14, user: broker.user)
            var tooLarge = publication
            tooLarge.envelope.properties.headers["text"] = .text(String(repeating: "x", count: 131_072))

            #expect(await broker.publisher.publish(publication) == .confirmed)
            #expect(await broker.publisher.publish(tooLarge) == .notSent(.unsendable))

            let subscription = try await session.subscribe(to: service.queue, prefetch: 1)
            let first = try #require(try await subscription.next(upTo: 1, bytes: 1))
            #expect(first[0].envelope.properties.headers == publication.envelope.properties.headers)
            await subscription.settle(first, .giveBack)
            let again = try #require(try await subscription.next(upTo: 1, bytes: 1))
            #expect(again[0].deliveryCount == 1)
            var headers = again[0].envelope.properties.headers
            headers["x-delivery-count"] = nil
            #expect(headers == publication.envelope.properties.headers)
        }
    }

    private static func filled(_ publication: Publication, to size: Int, user: String) -> Publication {
        var publication = publication
        publication.envelope.properties.headers["text"] = .text("")
        let missing = size - (publication.envelope.properties.encodedSize(user: user) ?? size)
        publication.envelope.properties.headers["text"] = .text(String(repeating: "x", count: missing))
        return publication
    }

    @Test("An answer for which there is no room is dropped, and which one is said in the log")
    func droppedAnswer() async throws {
        let lines = LogLines()
        let broker = AMQPBroker(try await BrokerProcess.shared.virtualHost(), name: "test", logger: lines.logger)
        let running = Task { try await broker.run() }
        #expect(await eventually { broker.isConnected })
        var answer = Envelope(
            kind: "answer.v1", id: MessageID(at: .now), body: [UInt8](repeating: 0x20, count: 65 << 20))
        answer.properties.correlationID = "question-7"

        await broker.publisher.send([Publication(answer, to: .reply("nobody"), isMandatory: false)])

        let line = try #require(lines.all.first { $0.contains("answers dropped") })
        for part in ["answer.v1", "question-7", "68157440"] { #expect(line.contains(part), "\(line)") }
        running.cancel()
        try await running.value
    }

    @Test(
        "What cannot be sent is told without harm to anybody else",
        arguments: [
            HeaderValue.double(Double.nan.bitPattern), .double(Double.infinity.bitPattern),
            .float(Float.signalingNaN.bitPattern), PublishingTests.nested(65),
        ])
    func unsendable(value: HeaderValue) async throws {
        try await withQueue { broker, _ in
            let publications = [
                service.command(), service.command(headers: HeaderTable([.init(name: "x", value: value)])),
                service.command(),
            ]

            let outcomes = await broker.publisher.publish(publications, deadline: .now + .seconds(60))

            #expect(outcomes == [.confirmed, .notSent(.unsendable), .confirmed])
        }
    }

    @Test("Headers may be nested up to the bound")
    func nesting() async throws {
        try await withQueue { broker, session in
            let headers = HeaderTable([.init(name: "x", value: Self.nested(63))])

            #expect(await broker.publisher.publish(service.command(headers: headers)) == .confirmed)

            let delivery = try await session.take(1, from: service.queue)[0]
            #expect(delivery.envelope.properties.headers == headers)
        }
    }

    private static func nested(_ depth: Int) -> HeaderValue {
        (0..<depth).reduce(.void) { inner, level in
            level.isMultiple(of: 2) ? .array([inner]) : .table(HeaderTable([.init(name: "n", value: inner)]))
        }
    }

    @Test("Random headers arrive as they were", arguments: 0..<20 as Range<UInt64>)
    func randomHeaders(seed: UInt64) async throws {
        try await withQueue { broker, session in
            var random = SeededGenerator(seed: seed)
            let publications = (0..<50).map { _ in service.command(headers: .random(depth: 4, using: &random)) }

            let outcomes = await broker.publisher.publish(publications, deadline: .now + .seconds(60))

            #expect(outcomes.allSatisfy { $0 == .confirmed }, "seed \(seed)")
            let deliveries = try await session.take(publications.count, from: service.queue)
            #expect(
                deliveries.map(\.envelope.properties.headers) == publications.map(\.envelope.properties.headers),
                "seed \(seed)")
        }
    }

    @Test("A publication to an exchange that is not there is refused; those around it go on")
    func missingExchange() async throws {
        let node = try await BrokerProcess.shared
        try await AMQPBroker.running(try await node.virtualHost()) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declareExclusive(queue: "here", bindings: [])
            let here = Publication(service.command().envelope, to: .reply("here"), isMandatory: true)

            let outcomes = await broker.publisher.publish(
                [here, service.command(), here, service.command(), here], deadline: .now + .seconds(60))

            // What was confirmed before the mistake may not have been told yet.
            #expect(outcomes[0] == .confirmed || outcomes[0] == .unknown)
            #expect(outcomes[1] == .refused)
            #expect(outcomes[3] == .refused)
            #expect(outcomes[4] == .confirmed)
            await session.close()
        }
    }

    @Test("Thousands of callers at once are each told their own")
    func manyCallers() async throws {
        try await withQueue { broker, _ in
            let wrong = await withTaskGroup(of: Int.self) { group in
                for caller in 0..<3000 {
                    group.addTask {
                        var publication = service.command(Array("\(caller)".utf8))
                        if caller % 5 == 0 { publication.route.routingKey = "nobody" }
                        let outcome = await broker.publisher.publish(publication)
                        return outcome == (caller % 5 == 0 ? .returned : .confirmed) ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }

            #expect(wrong == 0)
        }
    }

    @Test("The login is stamped on every message; nobody can publish as somebody else")
    func userID() async throws {
        try await withQueue { broker, session in
            var forged = service.command()
            forged.envelope.properties.userID = "receipt-validator"
            let plain = service.command()

            _ = await broker.publisher.publish([forged, plain], deadline: .now + .seconds(60))

            let users = try await session.take(2, from: service.queue).map(\.envelope.properties.userID)
            #expect(users == [broker.user, broker.user])
        }
    }

    @Test("A connection that is cut leaves what was sent unknown or answered, and is made again")
    func cut() async throws {
        let node = try await BrokerProcess.shared
        let own = try await node.virtualHost()
        try await AMQPBroker.running(own) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let load = Task {
                var told: [PublishOutcome] = []
                while !Task.isCancelled {
                    told += await broker.publisher.publish(
                        (0..<50).map { _ in service.command() }, deadline: .now + .seconds(60))
                }
                return told
            }
            #expect(await broker.publisher.publish(service.command()) == .confirmed)

            try await node.cutConnections(in: own)
            let confirmedAgain = await eventually {
                await broker.publisher.publish(service.command()) == .confirmed
            }
            load.cancel()
            let told = await load.value

            #expect(confirmedAgain)
            #expect(told.allSatisfy { [.confirmed, .unknown, .notSent(.disconnected)].contains($0) })
            #expect(told.contains(.confirmed))
        }
    }

    @Test("Outcomes are counted")
    func metrics() async throws {
        let metrics = MetricsRegistry()
        let node = try await BrokerProcess.shared
        try await AMQPBroker.running(try await node.virtualHost(), metrics: metrics) { broker in
            var lost = service.command()
            lost.route = .reply("nobody")
            _ = await broker.publisher.publish([lost, lost], deadline: .now + .seconds(60))
            #expect(metrics.render().contains("tollgate_published_total{outcome=\"returned\"} 2"))
            #expect(metrics.render().contains("tollgate_broker_connected 1"))
        }
        #expect(metrics.render().contains("tollgate_broker_connected 0"))
    }

    private func withQueue(
        _ body: @Sendable (ConnectedBroker, any BrokerSession) async throws -> Void
    ) async throws {
        let node = try await BrokerProcess.shared
        let settings = try await node.virtualHost()
        try await AMQPBroker.running(settings) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            try await body(ConnectedBroker(publisher: broker.publisher, user: settings.address.user), session)
            await session.close()
        }
    }
}

struct ConnectedBroker: Sendable {
    let publisher: any Publisher
    let user: String
}

extension HeaderTable {
    fileprivate static func random(depth: Int, using random: inout some RandomNumberGenerator) -> HeaderTable {
        HeaderTable(
            (0..<Int.random(in: 0...5, using: &random)).map { _ in
                let name = String(repeating: "n", count: Int.random(in: 0...20, using: &random))
                return Entry(name: name, value: .random(depth: depth - 1, using: &random))
            })
    }
}

extension HeaderValue {
    fileprivate static func random(depth: Int, using random: inout some RandomNumberGenerator) -> HeaderValue {
        func bytes() -> [UInt8] {
            (0..<Int.random(in: 0...30, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        switch Int.random(in: 0..<(depth > 0 ? 19 : 16), using: &random) {
        case 0: return .boolean(.random(using: &random))
        case 1: return .int8(.random(in: .min ... .max, using: &random))
        case 2: return .uint8(.random(in: .min ... .max, using: &random))
        case 3: return .int16(.random(in: .min ... .max, using: &random))
        case 4: return .uint16(.random(in: .min ... .max, using: &random))
        case 5: return .int32(.random(in: .min ... .max, using: &random))
        case 6: return .uint32(.random(in: .min ... .max, using: &random))
        case 7: return .int64(.random(in: .min ... .max, using: &random))
        case 8: return .float(Float.random(in: -1e30...1e30, using: &random).bitPattern)
        case 9: return .double(Double.random(in: -1e300...1e300, using: &random).bitPattern)
        case 10:
            return .decimal(
                scale: .random(in: .min ... .max, using: &random), value: .random(in: .min ... .max, using: &random))
        case 11: return .timestamp(.random(in: .min ... .max, using: &random))
        case 12: return .void
        case 13: return .bytes(bytes())
        case 14: return .text(String(decoding: bytes(), as: UTF8.self))
        case 15:
            // A text that happens to be UTF-8 is one.
            return .octets([0xFF] + bytes())
        case 16: return .table(.random(depth: depth, using: &random))
        default:
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in .random(depth: depth - 1, using: &random) })
        }
    }
}
