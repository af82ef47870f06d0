import Messages
public import Messaging

/// What every ``Broker`` promises, as cases that run against any of them: the one in memory and the real one.
///
/// A case names its own service, so that cases may run at the same time on one broker.
public enum MessagingConformance {
    /// One promise.
    public struct Case: Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let description: String
        private let body: @Sendable (BrokerUnderTest) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (BrokerUnderTest) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Runs it; throws ``TestFailure`` where the promise is not kept.
        public func run(
            on broker: any Broker, passTime: @escaping @Sendable (Duration) async -> Void = { _ in }
        ) async throws {
            try await body(BrokerUnderTest(broker: broker, passTime: passTime))
        }
    }

    /// All promises.
    public static let cases = publishing + consuming + ownership + dying
}

/// A broker, and one service of its own on it.
struct BrokerUnderTest: Sendable {
    let broker: any Broker
    /// Lets a broker with a clock of its own pass time; a real one does by itself.
    let passTime: @Sendable (Duration) async -> Void
    let service = ServiceName(rawValue: "conformance-\(UInt64.random(in: 0..<UInt64.max))")

    static let delay = RetryDelay(text: "50ms", duration: .milliseconds(50))
    static let longDelay = RetryDelay(text: "1h", duration: .seconds(3_600))
    var layout: Topology.Layout { Topology.Layout(retryDelays: [Self.delay, Self.longDelay]) }
    var topology: Topology { Topology(layout, services: [service]) }
    var queue: String { QueueDeclaration.partition(service, 0).name }
    var deadline: ContinuousClock.Instant { .now + .seconds(30) }

    /// A session on which the service's topology is declared.
    func session() async throws -> any BrokerSession {
        let session = try await broker.openSession(named: service.rawValue)
        try await session.declare(topology)
        return session
    }

    func command(_ body: String = "{}") -> Publication {
        let bucket = Bucket(of: body)
        let envelope = Envelope(kind: "conformance.v1", id: MessageID(at: .now), body: Array(body.utf8))
        return Publication(envelope, to: .command(service, bucket), isMandatory: true)
    }

    func publish(_ bodies: [String]) async throws {
        let outcomes = await broker.publisher.publish(bodies.map { command($0) }, deadline: deadline)
        try expect(outcomes, is: [PublishOutcome](repeating: .confirmed, count: bodies.count))
    }

    /// Takes until there are `count`.
    func take(_ count: Int, from subscription: any Subscription) async throws -> [Delivery] {
        var taken: [Delivery] = []
        while taken.count < count {
            guard let more = try await subscription.next(upTo: count - taken.count, bytes: 1 << 30) else {
                throw TestFailure("ended after \(taken.count) of \(count) deliveries")
            }
            taken += more
        }
        return taken
    }

    func expect<Value: Equatable>(_ value: Value, is expected: Value, line: Int = #line) throws {
        guard value == expected else {
            throw TestFailure("line \(line): expected \(expected), found \(value)")
        }
    }

    func expect(_ error: BrokerError?, line: Int = #line, like matches: (BrokerError) -> Bool) throws {
        guard let error, matches(error) else {
            throw TestFailure(
                "line \(line): found \(error.map(String.init(describing:)) ?? "none")")
        }
    }

    func error(of body: () async throws -> Void) async throws -> BrokerError? {
        do {
            try await body()
            return nil
        } catch let error as BrokerError {
            return error
        }
    }
}

extension [Delivery] {
    var bodies: [String] { map { String(decoding: $0.envelope.body, as: UTF8.self) } }
}
