package import Messages

/// What `topology show` says: every exchange, queue, binding and user of an installation.
package struct TopologyListing: Encodable, Sendable {
    struct ListedExchange: Encodable {
        let name: String
        let type: String
    }
    struct ListedQueue: Encodable {
        let name: String
        let arguments: [String: ListedArgument]
    }
    struct ListedBinding: Encodable {
        let exchange: String
        let queue: String
        let routingKey: String
    }
    struct ListedUser: Encodable {
        let name: String
        let tags: [String]
        let configure: String
        let write: String
        let read: String
        let events: String
    }
    /// As JSON of its own type.
    struct ListedArgument: Encodable {
        let argument: QueueDeclaration.Argument

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch argument {
            case .text(let text): try container.encode(text)
            case .integer(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            }
        }
    }

    let exchanges: [ListedExchange]
    let queues: [ListedQueue]
    let bindings: [ListedBinding]
    let users: [ListedUser]

    /// A listing of `topology` and its users.
    package init(_ topology: Topology, users: [BrokerPermissions] = BrokerPermissions.all) {
        exchanges = topology.exchanges.map { ListedExchange(name: $0.rawValue, type: $0.type) }
        queues = topology.queues.map {
            ListedQueue(name: $0.name, arguments: $0.arguments.mapValues(ListedArgument.init(argument:)))
        }
        bindings = topology.bindings.map {
            ListedBinding(exchange: $0.exchange.rawValue, queue: $0.queue, routingKey: $0.routingKey)
        }
        self.users = users.map {
            ListedUser(
                name: $0.user.rawValue, tags: $0.tags, configure: $0.configure, write: $0.write, read: $0.read,
                events: $0.events)
        }
    }

    /// For people.
    package var text: String {
        var lines = ["exchanges, durable"]
        lines += exchanges.map { "  \($0.name)  \($0.type)" }
        lines.append("queues, durable")
        for queue in queues {
            lines.append("  \(queue.name)")
            lines += queue.arguments.sorted { $0.key < $1.key }.map { "    \($0.key) = \($0.value.argument.written)" }
        }
        lines.append("bindings")
        lines += bindings.map { "  \($0.queue)  <-  \($0.exchange)  \($0.routingKey)" }
        lines.append("users")
        for user in users {
            lines.append("  \(user.name)\(user.tags.isEmpty ? "" : "  [\(user.tags.joined(separator: " "))]")")
            lines.append("    configure  \(user.configure)")
            lines.append("    write      \(user.write)")
            lines.append("    read       \(user.read)")
            lines.append("    events     \(user.events)")
        }
        return lines.joined(separator: "\n")
    }
}
