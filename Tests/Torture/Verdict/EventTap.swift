import AMQP
import Foundation
import Messages
import Messaging
import ServiceKit
import Synchronization
import TestSupport

/// Listens to every event of an installation, on a queue of its own: what services tell comes in the order of their
/// commits, and nothing is told twice under two ids.
final class EventTap: Sendable {
    private struct State {
        var ids: Set<MessageID> = []
        var copies = 0
        /// The revision that a user heard last of a chain, by kind.
        var revisions: [String: Int] = [:]
        /// Under which id a user was told a revision of a chain.
        var told: [String: MessageID] = [:]
        var outOfOrder: [String] = []
        var toldTwice: [String] = []
        var kinds: [String: Int] = [:]
    }
    private static let queue = "torture.tap"

    private let state = Mutex(State())
    private let broker: AMQPBroker
    private let connection: Task<Void, any Error>
    private let hear: @Sendable (Envelope, Route) -> Void
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter hear: is told every event, with its route.
    init(
        _ installation: Installation, hear: @escaping @Sendable (Envelope, Route) -> Void = { _, _ in }
    ) async throws {
        self.hear = hear
        _ = try await installation.broker.manage(
            "PUT", "queues/%2F/\(Self.queue)", #"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#)
        _ = try await installation.broker.manage(
            "POST", "bindings/%2F/e/\(Exchange.events.rawValue)/q/\(Self.queue)", ##"{"routing_key":"#"}"##)
        let broker = AMQPBroker(
            try await installation.login(of: .operatorTool), name: "tap",
            logger: Logger(service: "torture", least: .error, write: { _ in }))
        self.broker = broker
        connection = Task { try await broker.run() }
        let task = Task { await self.listen() }
        listening.withLock { $0 = task }
    }

    private func listen() async {
        while !Task.isCancelled {
            if let session = try? await broker.openSession(named: "tap") {
                if let subscription = try? await session.subscribe(to: Self.queue, prefetch: 1024) {
                    while let deliveries = try? await subscription.next(upTo: 256, bytes: 16 << 20) {
                        for delivery in deliveries {
                            note(delivery.envelope)
                            hear(
                                delivery.envelope,
                                Route(exchange: .events, routingKey: delivery.routingKey))
                        }
                        await subscription.settle(deliveries, .acknowledge)
                    }
                }
                await session.close()
            }
            // The broker is away.
            try? await Task.sleep(for: .milliseconds(300))
        }
    }

    /// Only what one is looking for is decoded.
    private struct Told: Decodable {
        let user: String
        let originalTransactionID: String
        let environment: String?
        let revision: Int
    }

    private func note(_ envelope: Envelope) {
        guard let id = envelope.id, let kind = envelope.kind, !id.rawValue.hasPrefix(Echo.prefix) else { return }
        let news: Told? =
            kind == LinkChanged.kind || kind == SubscriptionChanged.kind
            ? try? JSONDecoder().decode(Told.self, from: Data(envelope.body)) : nil
        state.withLock { state in
            guard state.ids.insert(id).inserted else {
                state.copies += 1
                return
            }
            state.kinds[kind.rawValue, default: 0] += 1
            guard let news else { return }
            let subject = "\(kind) of \(news.originalTransactionID) to \(news.user) \(news.environment ?? "")"
            if let before = state.revisions[subject], before > news.revision {
                state.outOfOrder.append("\(subject): revision \(news.revision) after \(before)")
            }
            state.revisions[subject] = max(state.revisions[subject] ?? 0, news.revision)
            if let other = state.told.updateValue(id, forKey: "\(subject) \(news.revision)") {
                state.toldTwice.append("\(subject): revision \(news.revision) as \(other) and \(id)")
            }
        }
    }

    /// Has everything, and ends.
    ///
    /// - Throws: ``TestFailure`` where something is still waiting, or nothing was ever told.
    func finish() async throws {
        var looks = 0
        let isEmpty = await eventually(within: .seconds(60), every: .milliseconds(200)) {
            // Asked of the queue itself: the management's count is some seconds old.
            guard let session = try? await broker.openSession(named: "look at the tap") else { return false }
            let ready = try? await session.ready(in: Self.queue)
            await session.close()
            looks = ready == 0 ? looks + 1 : 0
            // What was handed out at the first look has been noted by the second.
            return looks == 2
        }
        listening.withLock { $0 }?.cancel()
        connection.cancel()
        guard isEmpty else { throw TestFailure("the tap on the events has not come to its end") }
        guard !kinds.isEmpty else { throw TestFailure("no event was heard at all") }
    }

    var kinds: [String: Int] { state.withLock { $0.kinds } }
    /// Events that came again under the same id.
    var copies: Int { state.withLock { $0.copies } }
    var outOfOrder: [String] { state.withLock { $0.outOfOrder } }
    var toldTwice: [String] { state.withLock { $0.toldTwice } }
}
