internal import Crypto
internal import Messages
internal import Messaging

/// Follows what the resolver tells of entitlements, on a queue of its own that goes with its connection: what a purchase
/// comes to is seen as it happens, for one message more on the broker and without asking anybody.
struct LoadWatch: Sendable {
    let broker: any Broker
    let ledger: LoadLedger
    let numbers: LoadNumbers
    let began: LoadStart

    /// Watches until cancelled. What is told while the connection is away is missed, and found by asking at the end.
    func follow(_ stands: @Sendable () -> Void) async {
        while !Task.isCancelled {
            try? await keepQueue(stands)
            // Whatever ended it: a broker that is away comes back in its own time.
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    private func keepQueue(_ stands: @Sendable () -> Void) async throws {
        let session = try await broker.openSession(named: "tollgate load")
        do {
            let queue = "load.\(MessageID(at: .now))"
            try await session.declareExclusive(
                queue: queue,
                bindings: [
                    Binding(exchange: .events, queue: queue, routingKey: "\(EntitlementChanged.kind).*")
                ])
            let events = try await session.subscribe(to: queue, prefetch: 1_024)
            stands()
            while !Task.isCancelled, let deliveries = try await events.next(upTo: 256, bytes: 4 << 20) {
                await events.settle(deliveries, .acknowledge)
                let time = began.elapsed
                for delivery in deliveries { take(delivery.envelope, at: time) }
            }
        } catch {
            await session.close()
            throw error
        }
        await session.close()
    }

    private func take(_ envelope: Envelope, at time: Duration) {
        guard envelope.kind == EntitlementChanged.kind,
            let event = try? MessageJSON.decode(EntitlementChanged.self, from: envelope.body),
            event.entitlement.isActive, let transaction = event.entitlement.transaction,
            let origin = numbers.origin(of: transaction)
        else { return }
        ledger.see(
            origin.person, period: origin.period, content: Self.mark(envelope.body) | 1,
            id: Self.mark(Array((envelope.properties.messageID ?? "").utf8)), at: time)
    }

    /// 32 bits that tell texts apart.
    private static func mark(_ bytes: [UInt8]) -> UInt32 {
        Digest.sha256(bytes).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
