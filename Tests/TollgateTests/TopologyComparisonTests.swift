import Messages
import Testing
import Tollgate

@Suite("The topology against what a broker has")
struct TopologyComparisonTests {
    static let layout = Topology.Layout(
        partitions: [.receiptValidator: PartitionCount(rawValue: 2) ?? .one],
        retryDelays: [RetryDelay(text: "1s", duration: .seconds(1))])

    func differences(_ change: (inout CannedBroker) -> Void) throws -> [Difference] {
        var broker = CannedBroker(Self.layout)
        change(&broker)
        return TopologyComparison(layout: Self.layout).differences(in: try broker.state())
    }

    func only(_ differences: [Difference]) throws -> Difference {
        #expect(differences.count == 1, "\(differences)")
        return try #require(differences.first)
    }

    @Test("A broker that has it all as it should be does not differ")
    func same() throws {
        #expect(try differences { _ in } == [])
    }

    @Test("What services declare for themselves, and what is not ours, is no difference")
    func others() throws {
        let found = try differences {
            $0.queues["receipt-validator.0.queries"] = ["exclusive": true, "durable": false, "arguments": .list([])]
            for binding in Topology.queries(.receiptValidator, 0, of: PartitionCount(rawValue: 2) ?? .one).bindings {
                $0.bindings.append(binding)
            }
            $0.queues["edge.attest-gateway-1"] = ["exclusive": true, "arguments": .list([])]
            $0.bindings.append(
                Binding(exchange: .events, queue: "edge.attest-gateway-1", routingKey: "app.changed.v1.*"))
            $0.queues["warehouse"] = ["durable": true, "arguments": .list([])]
            $0.bindings.append(Binding(exchange: .events, queue: "warehouse", routingKey: "#"))
        }

        #expect(found == [])
    }

    @Test("A missing queue is named, and each of its missing bindings")
    func missingQueue() throws {
        let found = try differences {
            $0.queues["attest-gateway.dead"] = nil
            $0.bindings.removeAll { $0.queue == "attest-gateway.dead" }
        }

        #expect(found.map(\.subject) == ["queue attest-gateway.dead", "queue attest-gateway.dead"])
        #expect(found.map(\.problem).first == "is missing")
        #expect(found.allSatisfy { $0.remedy == "tollgate topology apply" })
    }

    @Test(
        "Arguments are compared exactly: another value, another type, one missing, one too many",
        arguments: [
            ("x-delivery-limit", Canned.integer(20), "has x-delivery-limit 20, not 100"),
            ("x-delivery-limit", .text("100"), "has x-delivery-limit 100, not 100"),
            ("x-delivery-limit", .list([]), "has x-delivery-limit of another type, not 100"),
            ("x-overflow", nil, "has no x-overflow, which should be reject-publish"),
            ("x-max-length", .integer(5), "has x-max-length, which should not be there"),
        ] as [(String, Canned?, String)])
    func arguments(name: String, value: Canned?, problem: String) throws {
        let difference = try only(differences { $0.set(name, value, of: "receipt-validator.1") })

        #expect(difference.subject == "queue receipt-validator.1")
        #expect(difference.problem == problem)
        #expect(difference.remedy.contains("rabbitmqctl delete_queue receipt-validator.1"))
    }

    @Test("A policy that would drop messages is named; one that would not is left alone")
    func policy() throws {
        let difference = try only(
            differences {
                $0.queues["receipt-validator.0"]?["effective_policy_definition"] = .object([
                    "max-length": .integer(5), "delivery-limit-alarm": .integer(1),
                ])
            })

        #expect(difference.problem == "has max-length set by a policy")
    }

    @Test("A transient queue, an exchange of another type and one that is missing are named")
    func kinds() throws {
        #expect(
            try only(differences { $0.queues["receipt-validator.0"]?["durable"] = false }).problem == "is transient")
        let type = try only(differences { $0.exchanges["tollgate.events"]?["type"] = "fanout" })
        #expect(type.subject == "exchange tollgate.events")
        #expect(type.problem == "is of type fanout, not topic")
        #expect(try only(differences { $0.exchanges["tollgate.dead"] = nil }).problem == "is missing")
    }

    @Test("A partition that is not bound to the way back from the ladder loses what comes back, and is named")
    func requeue() throws {
        let difference = try only(
            differences { $0.bindings.removeAll { $0.exchange == .requeue && $0.queue == "receipt-validator.1" } })

        #expect(
            difference.problem
                == "is not bound to tollgate.requeue as receipt-validator.1.*: what comes back from the retry ladder is "
                + "lost")
    }

    @Test("A missing bucket of commands or events is named")
    func bucket() throws {
        let difference = try only(
            differences {
                $0.bindings.removeAll { $0.exchange == .events && $0.routingKey == "\(TransactionVerified.kind).7" }
            })

        #expect(difference.subject == "queue entitlement-resolver.0")
        #expect(difference.problem.contains("tollgate.events as transaction.verified.v1.7"))
    }

    @Test("A foreign binding is named: of a partition to another's bucket, of a stranger's queue, of an exchange")
    func foreignBindings() throws {
        let bucket = try only(
            differences {
                $0.bindings.append(
                    Binding(exchange: .commands, queue: "receipt-validator.0", routingKey: "receipt-validator.1"))
            })
        #expect(bucket.subject == "queue receipt-validator.0")
        #expect(bucket.problem.hasPrefix("is bound to tollgate.commands as receipt-validator.1"))

        let stranger = try only(
            differences {
                $0.queues["spy"] = ["durable": true]
                $0.bindings.append(Binding(exchange: .commands, queue: "spy", routingKey: "receipt-validator.1"))
            })
        #expect(stranger.subject == "queue spy")

        let exchange = try only(
            differences {
                $0.moreBindings.append([
                    "source": "tollgate.commands", "destination": "spy", "destination_type": "exchange",
                    "routing_key": "receipt-validator.1",
                ])
            })
        #expect(exchange.subject == "exchange spy")
    }

    @Test("A queue left from another number of partitions is named, with what it holds")
    func foreignQueue() throws {
        let difference = try only(
            differences { $0.queues["receipt-validator.2"] = ["durable": true, "messages": .integer(12)] })

        #expect(difference.subject == "queue receipt-validator.2")
        #expect(difference.problem.contains("holds 12 messages"))
    }

    @Test("A partition whose owner has not bound its queries is named")
    func queries() throws {
        let found = try differences {
            $0.queues["receipt-validator.0.queries"] = ["exclusive": true, "durable": false]
        }

        let difference = try only(found)
        #expect(difference.subject == "queue receipt-validator.0.queries")
        #expect(difference.problem.hasSuffix(" and 29 more"))
    }

    @Test("A missing user is named, and how to make him")
    func missingUser() throws {
        let difference = try only(differences { $0.users["receipt-validator"] = nil })

        #expect(difference.subject == "user receipt-validator")
        #expect(difference.remedy.contains("--passwords FILE"))
    }

    @Test("Wider permissions, other tags, and events that are not his, are named; those in another vhost do not count")
    func permissions() throws {
        let wide = try only(differences { $0.permissions["receipt-validator"]?["write"] = ".*" })
        #expect(wide.subject == "user receipt-validator")
        #expect(wide.problem.hasPrefix("may write .*, not ^("))

        let none = try differences { $0.permissions["receipt-validator"]?["vhost"] = "other" }
        #expect(none.map(\.problem).allSatisfy { $0.contains("nothing") })
        #expect(none.count == 3)

        let tags = try only(differences { $0.users["receipt-validator"]?["tags"] = .list([.text("administrator")]) })
        #expect(tags.problem == "has the tags [administrator], not []")

        let events = try only(differences { $0.topicPermissions["receipt-validator"] = nil })
        #expect(events.problem.hasPrefix("may publish events under any key, not ^("))
    }

    @Test("Tags as one text, as brokers before 3.9 write them, are read too")
    func oldTags() throws {
        #expect(try differences { $0.users["tollgate"]?["tags"] = "administrator" } == [])
        #expect(try differences { $0.users["receipt-validator"]?["tags"] = "" } == [])
    }
}
