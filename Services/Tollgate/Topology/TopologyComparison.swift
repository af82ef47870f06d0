package import Messages

/// Compares what an installation needs of its broker with what the broker has, exactly.
///
/// Pure. What services declare for themselves (`….queries`, `edge.…`, `replies.…`) is looked at where it is there.
package struct TopologyComparison: Sendable {
    private let layout: Topology.Layout
    private let topology: Topology
    private let users: [BrokerPermissions]

    /// - Parameters:
    ///   - layout: how the installation is cut.
    ///   - users: the logins that it needs.
    package init(layout: Topology.Layout, users: [BrokerPermissions] = BrokerPermissions.all) {
        self.layout = layout
        self.users = users
        topology = Topology(layout)
    }

    /// Everything that differs, in the order exchanges, queues, bindings, users.
    package func differences(in state: BrokerState) -> [Difference] {
        exchanges(in: state) + queues(in: state) + bindings(in: state) + logins(in: state)
    }

    static let apply = "tollgate topology apply"

    // MARK: Exchanges and queues

    private func exchanges(in state: BrokerState) -> [Difference] {
        let found = Dictionary(state.exchanges.map { ($0.name, $0) }) { first, _ in first }
        return topology.exchanges.compactMap { exchange in
            let subject = "exchange \(exchange.rawValue)"
            guard let there = found[exchange.rawValue] else {
                return Difference(subject, "is missing", remedy: Self.apply)
            }
            guard there.type != exchange.type || !there.durable else { return nil }
            return Difference(
                subject, "is \(there.durable ? "" : "transient and ")of type \(there.type), not \(exchange.type)",
                remedy: "stop the services, delete it in the management pages, then \(Self.apply)")
        }
    }

    private func queues(in state: BrokerState) -> [Difference] {
        let found = Dictionary(state.queues.map { ($0.name, $0) }) { first, _ in first }
        var differences: [Difference] = []
        for queue in topology.queues {
            guard let there = found[queue.name] else {
                differences.append(Difference("queue \(queue.name)", "is missing", remedy: Self.apply))
                continue
            }
            differences += arguments(of: queue, as: there)
        }
        let wanted = Set(topology.queues.map(\.name))
        differences += state.queues.filter { isOfOurs($0.name) && !wanted.contains($0.name) && !$0.isExclusive }
            .map { queue in
                Difference(
                    "queue \(queue.name)",
                    "is not part of this installation, and holds \(queue.messages ?? 0) messages",
                    remedy: "if partitions or retry delays were changed: let it run empty, then rabbitmqctl "
                        + "delete_queue \(queue.name)")
            }
        return differences
    }

    private func arguments(of queue: QueueDeclaration, as there: ManagedQueue) -> [Difference] {
        let remedy =
            "stop its service, save what waits in it, rabbitmqctl delete_queue \(queue.name), then \(Self.apply)"
        var problems: [String] = there.isDurable ? [] : ["is transient"]
        for (name, value) in queue.arguments.sorted(by: { $0.key < $1.key }) {
            switch there.arguments[name] {
            case nil: problems.append("has no \(name), which should be \(value.written)")
            case .some(let other) where other != value:
                problems.append("has \(name) \(other?.written ?? "of another type"), not \(value.written)")
            default: break
            }
        }
        for name in there.arguments.keys.sorted() where queue.arguments[name] == nil {
            problems.append("has \(name), which should not be there")
        }
        return problems.map { Difference("queue \(queue.name)", $0, remedy: remedy) }
            + there.policySettings.filter(Self.isHarmful).map {
                Difference(
                    "queue \(queue.name)", "has \($0) set by a policy",
                    remedy: "rabbitmqctl list_policies shows it; keep its pattern away from our queues")
            }
    }

    /// Settings by policy that would drop messages, or send them elsewhere.
    private static func isHarmful(_ setting: String) -> Bool {
        ["max-length", "max-length-bytes", "message-ttl", "expires", "overflow", "delivery-limit"].contains(setting)
            || setting.hasPrefix("dead-letter-")
    }

    /// `<service>.…`, but not the transient `<service>.<p>.queries`.
    private func isOfOurs(_ queue: String) -> Bool {
        ServiceName.all.contains { queue.hasPrefix("\($0).") } && !queue.hasSuffix(".queries")
    }

    // MARK: Bindings

    private func bindings(in state: BrokerState) -> [Difference] {
        let transient = Set(queryBindings(ofThoseIn: state))
        let wanted = Set(topology.bindings).union(transient)
        let ours = Set(Exchange.declared.map(\.rawValue))
        var found: Set<Binding> = []
        var foreign = BindingGroups()
        for binding in state.bindings where ours.contains(binding.source) {
            guard binding.destinationType == "queue", let exchange = Exchange(rawValue: binding.source) else {
                foreign.add("\(binding.destinationType) \(binding.destination)", binding.source, binding.routingKey)
                continue
            }
            let known = Binding(exchange: exchange, queue: binding.destination, routingKey: binding.routingKey)
            found.insert(known)
            // Whoever wants to know what happens may bind a queue of his own to the events.
            let mayBind = exchange == .events && !isOfOurs(binding.destination)
            if !wanted.contains(known), !mayBind {
                foreign.add("queue \(binding.destination)", binding.source, binding.routingKey)
            }
        }
        let unasked = transient.subtracting(found).sorted { ($0.queue, $0.routingKey) < ($1.queue, $1.routingKey) }
        return missing(topology.bindings.filter { !found.contains($0) }, remedy: Self.apply)
            + missing(unasked, remedy: "restart its service, which binds it at its start")
            + foreign.differences { exchange, keys in
                (
                    "is bound to \(exchange) as \(keys), which this installation does not ask for",
                    "if partitions were changed, or nobody knows why it is there: unbind it in the management pages"
                )
            }
    }

    private func queryBindings(ofThoseIn state: BrokerState) -> [Binding] {
        let names = Set(state.queues.map(\.name))
        return ServiceName.all.flatMap { service in
            let count = layout.count(of: service)
            return (0..<count.rawValue).flatMap { number -> [Binding] in
                let (queue, bindings) = Topology.queries(service, number, of: count)
                return names.contains(queue) ? bindings : []
            }
        }
    }

    private func missing(_ bindings: [Binding], remedy: String) -> [Difference] {
        var groups = BindingGroups()
        for binding in bindings {
            groups.add("queue \(binding.queue)", binding.exchange.rawValue, binding.routingKey)
        }
        return groups.differences { exchange, keys in
            let consequence =
                switch Exchange(rawValue: exchange) {
                case .requeue: ": what comes back from the retry ladder is lost"
                case .events: ": events under it are lost to this service"
                case .commands: ": commands under it are returned to their publisher"
                default: ""
                }
            return ("is not bound to \(exchange) as \(keys)\(consequence)", remedy)
        }
    }

    // MARK: Users

    private func logins(in state: BrokerState) -> [Difference] {
        let found = Dictionary(state.users.map { ($0.name, $0) }) { first, _ in first }
        return users.flatMap { wanted -> [Difference] in
            let name = wanted.user.rawValue
            guard let there = found[name] else {
                return [
                    Difference("user \(name)", "is missing", remedy: "\(Self.apply) --passwords FILE makes it")
                ]
            }
            return problems(of: wanted, there, in: state).map {
                Difference("user \(name)", $0, remedy: Self.apply)
            }
        }
    }

    private func problems(of wanted: BrokerPermissions, _ user: ManagedUser, in state: BrokerState) -> [String] {
        let name = wanted.user.rawValue
        var problems: [String] = []
        if Set(user.tags) != Set(wanted.tags) {
            problems.append(
                "has the tags [\(user.tags.joined(separator: " "))], not "
                    + "[\(wanted.tags.joined(separator: " "))]")
        }
        let permission = state.permissions.first { $0.user == name && $0.vhost == state.virtualHost }
        for (right, granted, needed) in [
            ("configure", permission?.configure, wanted.configure), ("write", permission?.write, wanted.write),
            ("read", permission?.read, wanted.read),
        ] where granted != needed {
            problems.append("may \(right) \(granted ?? "nothing"), not \(needed)")
        }
        let topic = state.topicPermissions.first {
            $0.user == name && $0.vhost == state.virtualHost && $0.exchange == Exchange.events.rawValue
        }
        // Without a topic permission everything may be published: that of others too.
        if topic?.write != wanted.events {
            problems.append("may publish events under \(topic?.write ?? "any key"), not \(wanted.events)")
        }
        if let topic, topic.read != ".*" { problems.append("may bind to events under \(topic.read), not .*") }
        return problems
    }
}

/// Bindings that have the same thing wrong with them, said together: a partition has hundreds.
private struct BindingGroups {
    private var keys: [(subject: String, exchange: String, keys: [String])] = []
    private var places: [[String]: Int] = [:]

    mutating func add(_ subject: String, _ exchange: String, _ routingKey: String) {
        if let place = places[[subject, exchange]] { return keys[place].keys.append(routingKey) }
        places[[subject, exchange]] = keys.count
        keys.append((subject, exchange, [routingKey]))
    }

    func differences(_ wording: (_ exchange: String, _ keys: String) -> (problem: String, remedy: String))
        -> [Difference]
    {
        keys.map { subject, exchange, keys in
            let more = keys.count > 3 ? " and \(keys.count - 3) more" : ""
            let (problem, remedy) = wording(exchange, keys.prefix(3).joined(separator: ", ") + more)
            return Difference(subject, problem, remedy: remedy)
        }
    }
}
