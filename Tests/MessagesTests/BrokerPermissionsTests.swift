import Foundation
import Messages
import Testing

@Suite("Broker permissions")
struct BrokerPermissionsTests {
    static let validator = BrokerPermissions(of: .receiptValidator)
    static let resolver = BrokerPermissions(of: .entitlementResolver)

    /// As the broker does it: the pattern anywhere in the text, so it has to be anchored itself.
    private func allows(_ pattern: String, _ text: String) throws -> Bool {
        let expression = try NSRegularExpression(pattern: pattern)
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    @Test("A service may declare, bind and consume its own queues, and use every exchange of the installation")
    func own() throws {
        let layout = Topology.Layout(partitions: [.receiptValidator: TopologyTests.four])
        let topology = Topology(layout, services: [.receiptValidator])
        let names =
            topology.queues.map(\.name) + topology.exchanges.map(\.rawValue)
            + [Topology.queries(.receiptValidator, 3, of: TopologyTests.four).queue]
            + ["replies.receipt-validator-01937b6e", "edge.receipt-validator-01937b6e"]
        for name in names {
            #expect(try allows(Self.validator.configure, name), "\(name)")
            #expect(try allows(Self.validator.write, name), "\(name)")
            #expect(try allows(Self.validator.read, name), "\(name)")
        }
    }

    @Test(
        "A service may not touch what is another's, or nobody's",
        arguments: [
            "entitlement-resolver.0", "entitlement-resolver.dead", "entitlement-resolver.retry.1s", "attest-gateway.0",
            "receipt-validator", "receipt-validatorX0", "xreceipt-validator.0", "receipt-validator-2.0",
            "replies.attest-gateway-1", "replies.receipt-validator", "replies.receipt-validatorx-1",
            "edge.attest-gateway-1", "tollgateXcommands", "xtollgate.commands", "tollgate", "amq.topic", "amq.gen-1",
            "",
            "my.tollgate.commands", "a receipt-validator.0",
        ])
    func others(name: String) throws {
        #expect(try !allows(Self.validator.configure, name))
        #expect(try !allows(Self.validator.write, name))
        #expect(try !allows(Self.validator.read, name))
    }

    @Test("Replies go through the default exchange, which may be written to and nothing else")
    func defaultExchange() throws {
        #expect(try allows(Self.validator.write, "amq.default"))
        #expect(try !allows(Self.validator.write, "amqxdefault"))
        #expect(try !allows(Self.validator.configure, "amq.default"))
        #expect(try !allows(Self.validator.read, "amq.default"))
    }

    @Test("A service may publish the events that it owns, under every bucket, and no other's")
    func events() throws {
        for permissions in ServiceName.all.map({ BrokerPermissions(of: $0) }) {
            for kind in Catalogue.kinds where kind.role == .event {
                let isOwner = kind.authors == [permissions.user]
                for bucket in Bucket.all {
                    let key = Route.event(kind.kind, bucket).routingKey
                    #expect(try allows(permissions.events, key) == isOwner, "\(permissions.user) \(key)")
                }
            }
        }
    }

    @Test(
        "Keys that only look like an owned event are refused",
        arguments: [
            "transaction.verified.v1", "transaction.verified.v1.", "transaction.verified.v1.x",
            "transaction.verified.v1.1.2", "transaction.verified.v2.1", "transactionXverified.v1.1",
            "x.transaction.verified.v1.1", "transaction.verified.v1.*", "", "1",
        ])
    func lookalikes(key: String) throws {
        #expect(try !allows(Self.validator.events, key))
    }

    @Test("A service without events publishes none")
    func noEvents() throws {
        let permissions = BrokerPermissions(of: .receiptValidator, kinds: [])

        #expect(try !allows(permissions.events, "transaction.verified.v1.1"))
        #expect(try allows(permissions.events, ""))
    }

    @Test("A load user publishes commands, and may do nothing else")
    func load() throws {
        let load = BrokerPermissions.load

        #expect(try allows(load.write, "tollgate.commands"))
        for name in Exchange.allCases.map(\.rawValue) + ["amq.default", "receipt-validator.0"]
        where name != "tollgate.commands" && name != "" {
            #expect(try !allows(load.write, name), "\(name)")
            #expect(try !allows(load.read, name) && !allows(load.configure, name), "\(name)")
        }
        #expect(try !allows(load.read, "tollgate.commands") && !allows(load.configure, "tollgate.commands"))
        #expect(load.tags.isEmpty)
    }

    @Test("Every user of an installation has permissions once; only the operator's is an administrator")
    func all() {
        #expect(
            BrokerPermissions.all.map(\.user.rawValue).sorted() == [
                "attest-gateway", "entitlement-resolver", "event-ingest", "paywall-experiments", "receipt-validator",
                "tollgate", "tollgate-load",
            ])
        #expect(BrokerPermissions.all.filter { !$0.tags.isEmpty }.map(\.user) == [.operatorTool])
    }

    @Test("The catalogue names only services that exist, each kind once, and commands have one taker")
    func catalogue() {
        #expect(Set(Catalogue.kinds.map(\.kind)).count == Catalogue.kinds.count)
        for kind in Catalogue.kinds {
            #expect(kind.takers.allSatisfy(ServiceName.all.contains), "\(kind.kind)")
            #expect(kind.role == .event || kind.takers.count == 1, "\(kind.kind)")
            #expect(kind.role != .event || kind.authors?.count == 1, "\(kind.kind)")
            #expect(kind.kind.rawValue.hasSuffix(".v1"))
            #expect(Catalogue.byKind[kind.kind] == kind)
        }
    }
}
