import Foundation
import Messages
import Tollgate

/// A JSON value of a canned answer.
enum Canned: Encodable, Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    case text(String)
    case integer(Int)
    case flag(Bool)
    case list([Canned])
    case object([String: Canned])

    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(_ argument: QueueDeclaration.Argument) {
        switch argument {
        case .text(let text): self = .text(text)
        case .integer(let number): self = .integer(number)
        case .flag(let flag): self = .flag(flag)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .integer(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}

/// What the management API of a broker answers that has everything as it should be, to be changed by a test.
struct CannedBroker {
    typealias Object = [String: Canned]

    var exchanges: [String: Object] = [:]
    var queues: [String: Object] = [:]
    var bindings: [Binding] = []
    var moreBindings: [Object] = []
    var users: [String: Object] = [:]
    var permissions: [String: Object] = [:]
    var topicPermissions: [String: Object] = [:]

    init(_ layout: Topology.Layout) {
        let topology = Topology(layout)
        exchanges["amq.topic"] = ["type": "topic", "durable": true]
        for exchange in topology.exchanges {
            exchanges[exchange.rawValue] = ["type": .text(exchange.type), "durable": true, "internal": false]
        }
        for queue in topology.queues {
            queues[queue.name] = [
                "durable": true, "exclusive": false, "arguments": .object(queue.arguments.mapValues(Canned.init)),
                "messages": .integer(0),
            ]
        }
        bindings = topology.bindings
        // The default exchange, to which every queue is bound.
        moreBindings = topology.queues.map {
            [
                "source": "", "destination": .text($0.name), "destination_type": "queue",
                "routing_key": .text($0.name),
            ]
        }
        users["guest"] = ["tags": .list(["administrator"])]
        for wanted in BrokerPermissions.all {
            let name = wanted.user.rawValue
            users[name] = ["tags": .list(wanted.tags.map(Canned.text)), "hashing_algorithm": "sha256"]
            permissions[name] = [
                "vhost": "/", "configure": .text(wanted.configure), "write": .text(wanted.write),
                "read": .text(wanted.read),
            ]
            topicPermissions[name] = [
                "vhost": "/", "exchange": "tollgate.events", "write": .text(wanted.events), "read": ".*",
            ]
        }
    }

    /// Sets an argument of a queue, or takes it away.
    mutating func set(_ argument: String, _ value: Canned?, of queue: String) {
        guard case .object(var arguments) = queues[queue]?["arguments"] else { return }
        arguments[argument] = value
        queues[queue]?["arguments"] = .object(arguments)
    }

    /// What the tool reads of it.
    func state() throws -> BrokerState {
        func list<Item: Decodable>(_ type: Item.Type, _ objects: [Object]) throws -> [Item] {
            try ManagedList.decode(type, from: Array(try JSONEncoder().encode(objects)))
        }
        func named(_ name: String, _ objects: [String: Object]) -> [Object] {
            objects.map { $1.merging([name: .text($0)]) { $1 } }
        }
        let bindings =
            bindings.map {
                [
                    "source": .text($0.exchange.rawValue), "destination": .text($0.queue), "destination_type": "queue",
                    "routing_key": .text($0.routingKey),
                ] as Object
            } + moreBindings
        return BrokerState(
            exchanges: try list(ManagedExchange.self, named("name", exchanges)),
            queues: try list(ManagedQueue.self, named("name", queues)),
            bindings: try list(ManagedBinding.self, bindings),
            users: try list(ManagedUser.self, named("name", users)),
            permissions: try list(ManagedPermission.self, named("user", permissions)),
            topicPermissions: try list(ManagedTopicPermission.self, named("user", topicPermissions)))
    }
}
