import AttestGateway
import Messages
import Messaging
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Edges tell each other")
struct CountExchangeTests {
    /// An edge's counting at a broker that it shares with others.
    private struct Counting: Sendable {
        let limits: CallerLimits
        let unverifiable = UnverifiableNotifications(limit: 10)
        let exchange: CountExchange

        init(
            _ name: String, at broker: InMemoryBroker, rates: CallerLimits.Rates = .init(device: 20, address: 1_000_000)
        ) {
            let clock = ContinuousClock()
            let start = clock.now
            limits = CallerLimits(rates, edge: name) { Int64(start.duration(to: clock.now) / .milliseconds(1)) }
            exchange = CountExchange(
                of: limits, unverifiable: unverifiable, broker: broker, publisher: broker.publisher,
                interval: .milliseconds(10), now: { .epoch }, logger: .silent, metrics: MetricsRegistry())
        }

        func admits(_ install: String = "phone") -> Bool {
            limits.admit(.unattested(install, "u", "192.0.2.1")) == nil
        }
    }

    private static func broker() -> InMemoryBroker {
        InMemoryBroker(topology: Topology(.init()), user: BrokerUser(of: .attestGateway))
    }

    @Test("What one edge has let through, the other does not let through again")
    func together() async {
        let broker = Self.broker()
        let (a, b) = (Counting("a", at: broker), Counting("b", at: broker))

        await withTaskGroup(of: Void.self) { group in
            for counting in [a, b] { group.addTask { try? await counting.exchange.run() } }
            defer { group.cancelAll() }
            // Half of what is left is what each of two may let through unheard: of 20 writes 10, and of 10 then 5.
            #expect(await eventually { b.limits.edges == 2 && a.limits.edges == 2 })
            let phones = (0..<100).map { "phone \($0)" }
            for phone in phones { #expect((0..<20).count { _ in a.admits(phone) } == 10) }
            var next = phones.makeIterator()
            #expect(
                await eventually {
                    guard let phone = next.next() else { return false }
                    return (0..<20).count { _ in b.admits(phone) } == 5
                })
            #expect(b.admits("other phone"))
        }
    }

    @Test("An edge that comes later is told what the others have counted, of callers and of refused notifications")
    func newcomer() async {
        let broker = Self.broker()
        let (a, b) = (Counting("a", at: broker), Counting("b", at: broker))

        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await a.exchange.run() }
            defer { group.cancelAll() }
            for _ in 0..<20 { #expect(a.admits()) }
            for _ in 0..<10 { a.unverifiable.note("com.example.tunes", of: "acme", at: .epoch) }
            #expect(a.unverifiable.areTooMany(for: .tunes, at: .epoch))
            #expect(!b.unverifiable.areTooMany(for: .tunes, at: .epoch))
            group.addTask { try? await b.exchange.run() }

            #expect(await eventually { b.unverifiable.areTooMany(for: .tunes, at: .epoch) })
            #expect(!b.admits())
        }
    }

    @Test("Counts of another day, and fewer than are known, change nothing")
    func otherDay() {
        let unverifiable = UnverifiableNotifications(limit: 10)
        let today = Timestamp.epoch.millisecondsSince1970 / 86_400_000
        func learn(day: Int64, _ count: Int) -> Bool {
            unverifiable.learn(
                [.init(organisation: "acme", app: "com.example.tunes", day: day, count: count)], at: .epoch)
            return unverifiable.areTooMany(for: .tunes, at: .epoch)
        }

        #expect(!learn(day: today - 1, 1_000))
        #expect(!learn(day: today, 9))
        unverifiable.note("com.example.tunes", of: "acme", at: .epoch)
        #expect(learn(day: today, 3))
    }

    @Test("What anybody but an edge publishes is not believed")
    func strangers() async throws {
        let broker = Self.broker()
        let a = Counting("a", at: broker)

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await a.exchange.run() }
            defer { group.cancelAll() }
            #expect(await eventually { a.limits.report()?.isNew == nil })
            func publish(_ edge: String, as user: BrokerUser) throws {
                let device = CallerHash("device", "a", "phone").hexadecimal
                let report = EdgeCounts(edge: edge, admitted: .init(writes: ["device": [device: 1_000]]))
                let envelope = Envelope(
                    kind: EdgeCounts.kind, id: MessageID(at: .epoch), body: try MessageJSON.encode(report))
                broker.inject(envelope, to: .event(EdgeCounts.kind, report.bucket), as: user)
            }

            try publish("stranger", as: .load)
            #expect(a.admits())
            try publish("b", as: BrokerUser(of: .attestGateway))
            #expect(await eventually { !a.admits() })
        }
    }
}
