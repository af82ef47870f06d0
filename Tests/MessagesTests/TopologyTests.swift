import Messages
import Testing

@Suite("Topology")
struct TopologyTests {
    static let four = PartitionCount(rawValue: 4) ?? .one

    @Test("Of one partition per service, the queues are these")
    func queuesOfOne() {
        let topology = Topology(Topology.Layout())

        #expect(
            topology.queues.map(\.name) == [
                "attest-gateway.0", "attest-gateway.retry.1s", "attest-gateway.retry.10s", "attest-gateway.retry.1m",
                "attest-gateway.retry.10m", "attest-gateway.dead", "receipt-validator.0", "receipt-validator.retry.1s",
                "receipt-validator.retry.10s", "receipt-validator.retry.1m", "receipt-validator.retry.10m",
                "receipt-validator.dead", "entitlement-resolver.0", "entitlement-resolver.retry.1s",
                "entitlement-resolver.retry.10s", "entitlement-resolver.retry.1m", "entitlement-resolver.retry.10m",
                "entitlement-resolver.dead", "paywall-experiments.0", "paywall-experiments.retry.1s",
                "paywall-experiments.retry.10s", "paywall-experiments.retry.1m", "paywall-experiments.retry.10m",
                "paywall-experiments.dead", "event-ingest.0", "event-ingest.retry.1s", "event-ingest.retry.10s",
                "event-ingest.retry.1m", "event-ingest.retry.10m", "event-ingest.dead",
            ])
    }

    @Test("The exchanges are these, with these types")
    func exchanges() {
        let exchanges = Topology(Topology.Layout()).exchanges.map { "\($0.rawValue) \($0.type)" }

        #expect(
            exchanges == [
                "tollgate.commands direct", "tollgate.queries direct", "tollgate.events topic", "tollgate.retry topic",
                "tollgate.requeue topic", "tollgate.dead direct",
            ])
    }

    @Test("Every queue is declared with exactly these arguments")
    func arguments() throws {
        let topology = Topology(
            Topology.Layout(
                partitions: [.receiptValidator: Self.four],
                retryDelays: [RetryDelay(text: "50ms", duration: .milliseconds(50))]),
            services: [.receiptValidator])
        let arguments = Dictionary(uniqueKeysWithValues: topology.queues.map { ($0.name, $0.arguments) })

        #expect(
            Set(arguments.keys) == [
                "receipt-validator.0", "receipt-validator.1", "receipt-validator.2", "receipt-validator.3",
                "receipt-validator.retry.50ms", "receipt-validator.dead",
            ])
        for number in 0..<4 {
            #expect(
                arguments["receipt-validator.\(number)"] == [
                    "x-queue-type": .text("quorum"), "x-single-active-consumer": .flag(true),
                    "x-delivery-limit": .integer(100), "x-dead-letter-exchange": .text("tollgate.dead"),
                    "x-dead-letter-routing-key": .text("receipt-validator"),
                    "x-dead-letter-strategy": .text("at-least-once"), "x-overflow": .text("reject-publish"),
                ])
        }
        #expect(
            arguments["receipt-validator.retry.50ms"] == [
                "x-queue-type": .text("quorum"), "x-message-ttl": .integer(50),
                "x-dead-letter-exchange": .text("tollgate.requeue"), "x-dead-letter-strategy": .text("at-least-once"),
                "x-overflow": .text("reject-publish"),
            ])
        #expect(
            arguments["receipt-validator.dead"] == [
                "x-queue-type": .text("quorum"), "x-single-active-consumer": .flag(true),
                "x-delivery-limit": .integer(1_000_000_000),
            ])
    }

    @Test("The standard rungs last as long as their names say")
    func rungs() {
        let topology = Topology(Topology.Layout(), services: [.receiptValidator])
        let lifetimes = topology.queues.compactMap { queue in
            queue.arguments["x-message-ttl"].map { (queue.name, $0) }
        }

        #expect(
            Dictionary(uniqueKeysWithValues: lifetimes) == [
                "receipt-validator.retry.1s": .integer(1_000), "receipt-validator.retry.10s": .integer(10_000),
                "receipt-validator.retry.1m": .integer(60_000), "receipt-validator.retry.10m": .integer(600_000),
            ])
    }

    @Test(
        "A partition is bound to its buckets of commands and events, to all configuration, and to what is requeued",
        arguments: [1, 4])
    func bindingsOfResolver(count: Int) throws {
        let partitions = try #require(PartitionCount(rawValue: count))
        let topology = Topology(
            Topology.Layout(partitions: [.entitlementResolver: partitions]), services: [.entitlementResolver])

        for number in 0..<count {
            let buckets = (0..<64).filter { $0 % count == number }
            let expected =
                buckets.map { "tollgate.commands entitlement-resolver.\($0)" }
                + [
                    "transaction.verified.v1", "transaction.retracted.v1", "renewal.verified.v1",
                    "renewal.retracted.v1", "link.changed.v1", "subscription.changed.v1",
                ].flatMap { kind in buckets.map { "tollgate.events \(kind).\($0)" } }
                + ["tollgate.events app.changed.v1.*", "tollgate.events mapping.changed.v1.*"]
                + ["tollgate.events user.erased.v1.*"]
                + ["tollgate.requeue entitlement-resolver.\(number).*"]

            let found = topology.bindings.filter { $0.queue == "entitlement-resolver.\(number)" }
                .map { "\($0.exchange.rawValue) \($0.routingKey)" }

            #expect(found.sorted() == expected.sorted())
        }
    }

    @Test("Ladder and dead letters are bound once per service")
    func otherBindings() {
        let topology = Topology(
            Topology.Layout(partitions: [.receiptValidator: Self.four]), services: [.receiptValidator])
        let others = topology.bindings.filter { $0.queue.hasSuffix("dead") || $0.queue.contains("retry") }

        #expect(
            others.map { "\($0.exchange.rawValue) \($0.routingKey) -> \($0.queue)" } == [
                "tollgate.retry receipt-validator.*.1s -> receipt-validator.retry.1s",
                "tollgate.retry receipt-validator.*.10s -> receipt-validator.retry.10s",
                "tollgate.retry receipt-validator.*.1m -> receipt-validator.retry.1m",
                "tollgate.retry receipt-validator.*.10m -> receipt-validator.retry.10m",
                "tollgate.dead receipt-validator -> receipt-validator.dead",
            ])
    }

    @Test("Nothing is declared or bound twice, and nothing is bound that is not declared", arguments: [1, 4, 64])
    func consistent(count: Int) throws {
        let partitions = try #require(PartitionCount(rawValue: count))
        let layout = Topology.Layout(
            partitions: Dictionary(uniqueKeysWithValues: ServiceName.all.map { ($0, partitions) }))
        let topology = Topology(layout)
        let names = Set(topology.queues.map(\.name))

        #expect(names.count == topology.queues.count)
        #expect(topology.queues.count == ServiceName.all.count * (count + 5))
        #expect(Set(topology.bindings).count == topology.bindings.count)
        #expect(topology.bindings.allSatisfy { names.contains($0.queue) && $0.exchange != .direct })
    }

    @Test("Every command and event reaches exactly one partition of each taker, configuration every one")
    func routing() throws {
        let layout = Topology.Layout(partitions: [.receiptValidator: Self.four, .entitlementResolver: Self.four])
        let topology = Topology(layout)

        for kind in Catalogue.kinds where kind.role == .command || kind.role == .event {
            for bucket in Bucket.all {
                let route =
                    kind.role == .event ? Route.event(kind.kind, bucket) : Route.command(kind.takers[0], bucket)
                let queues = topology.bindings.filter {
                    $0.exchange == route.exchange && Self.matches($0.routingKey, route.routingKey)
                }.map(\.queue)
                let expected = kind.takers.flatMap { service in
                    let count = layout.count(of: service)
                    return kind.isConfiguration
                        ? (0..<count.rawValue).map { "\(service).\($0)" }
                        : ["\(service).\(bucket.partition(of: count))"]
                }
                #expect(queues.sorted() == expected.sorted(), "\(kind.kind) \(bucket.number)")
            }
        }
    }

    @Test("What waits in the ladder, or is forwarded, comes back to its own partition")
    func ladder() {
        let topology = Topology(Topology.Layout(partitions: [.receiptValidator: Self.four]))
        for number in 0..<4 {
            for rung in RetryDelay.standard {
                let route = Route.retry(.receiptValidator, partition: number, rung)

                #expect(queues(of: .retry, route.routingKey, in: topology) == ["receipt-validator.retry.\(rung.text)"])
                #expect(queues(of: .requeue, route.routingKey, in: topology) == ["receipt-validator.\(number)"])
            }
            let route = Route.requeue(.receiptValidator, partition: number)
            #expect(route.exchange == .requeue)
            #expect(queues(of: .requeue, route.routingKey, in: topology) == ["receipt-validator.\(number)"])
            let replay = Route.replay(.receiptValidator, partition: number)
            #expect(replay.exchange == .direct && topology.queues.map(\.name).contains(replay.routingKey))
        }
    }

    @Test("One partition's part is its own queue, the ladder and the dead letters")
    func partOfOne() {
        let layout = Topology.Layout(partitions: [.receiptValidator: Self.four])
        let whole = Topology(layout, services: [.receiptValidator])

        let part = Topology(layout, services: [.receiptValidator], partition: 2)

        #expect(Set(part.queues).isSubset(of: Set(whole.queues)))
        #expect(Set(part.bindings).isSubset(of: Set(whole.bindings)))
        let missing = whole.queues.map(\.name).filter { name in !part.queues.contains { $0.name == name } }
        #expect(missing == ["receipt-validator.0", "receipt-validator.1", "receipt-validator.3"])
        #expect(
            part.bindings.filter { $0.queue == "receipt-validator.2" }
                == whole.bindings.filter { $0.queue == "receipt-validator.2" })
    }

    @Test("An owner's queue of queries is bound to its buckets")
    func queries() {
        let (queue, bindings) = Topology.queries(.receiptValidator, 3, of: Self.four)

        #expect(queue == "receipt-validator.3.queries")
        #expect(bindings.allSatisfy { $0.queue == queue && $0.exchange == .queries })
        #expect(bindings.map(\.routingKey) == (0..<64).filter { $0 % 4 == 3 }.map { "receipt-validator.\($0)" })
    }

    private func queues(of exchange: Exchange, _ key: String, in topology: Topology) -> [String] {
        topology.bindings.filter { $0.exchange == exchange && Self.matches($0.routingKey, key) }.map(\.queue)
    }

    /// As a topic exchange does it; `*` is one word.
    private static func matches(_ pattern: String, _ key: String) -> Bool {
        let (wanted, words) = (pattern.split(separator: "."), key.split(separator: "."))
        return wanted.count == words.count && zip(wanted, words).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
