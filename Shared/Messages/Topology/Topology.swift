/// What an installation declares at its broker: pure, so that it can be printed, applied and compared.
public struct Topology: Sendable, Hashable {
    /// How an installation is cut.
    public struct Layout: Sendable, Hashable {
        /// Partitions of each service.
        public var partitions: [ServiceName: PartitionCount]
        /// The rungs of the ladder, shortest first.
        public var retryDelays: [RetryDelay]

        /// - Parameter partitions: services that are absent have one.
        public init(partitions: [ServiceName: PartitionCount] = [:], retryDelays: [RetryDelay] = RetryDelay.standard) {
            self.partitions = partitions
            self.retryDelays = retryDelays
        }

        /// Into how many partitions `service` is split.
        public func count(of service: ServiceName) -> PartitionCount { partitions[service] ?? .one }
    }

    /// Every exchange.
    public let exchanges = Exchange.declared
    /// Every durable queue.
    public let queues: [QueueDeclaration]
    /// Every binding of a durable queue.
    public let bindings: [Binding]

    /// All of `services`, or what one of them declares again at its start.
    ///
    /// - Parameter partition: leaves out the queues of the other partitions: what one partition needs.
    public init(
        _ layout: Layout, services: [ServiceName] = ServiceName.all, partition: Int? = nil,
        kinds: [KindDescription] = Catalogue.kinds
    ) {
        var queues: [QueueDeclaration] = []
        var bindings: [Binding] = []
        for service in services {
            let partitions = layout.count(of: service)
            for number in 0..<partitions.rawValue where partition == nil || partition == number {
                let queue = QueueDeclaration.partition(service, number)
                queues.append(queue)
                bindings += Self.bindings(of: queue.name, service, number, of: partitions, kinds: kinds)
            }
            for delay in layout.retryDelays {
                let queue = QueueDeclaration.retry(service, delay)
                queues.append(queue)
                bindings.append(
                    Binding(exchange: .retry, queue: queue.name, routingKey: "\(service).*.\(delay.text)"))
            }
            let dead = QueueDeclaration.dead(service)
            queues.append(dead)
            bindings.append(Binding(exchange: .dead, queue: dead.name, routingKey: service.rawValue))
        }
        self.queues = queues
        self.bindings = bindings
    }

    private static func bindings(
        of queue: String, _ service: ServiceName, _ number: Int, of partitions: PartitionCount,
        kinds: [KindDescription]
    ) -> [Binding] {
        let buckets = partitions.buckets(of: number)
        var bindings = buckets.map {
            Binding(exchange: .commands, queue: queue, routingKey: Route.command(service, $0).routingKey)
        }
        for kind in kinds where kind.role == .event && kind.takers.contains(service) {
            if kind.isConfiguration {
                bindings.append(Binding(exchange: .events, queue: queue, routingKey: "\(kind.kind).*"))
            } else {
                bindings += buckets.map {
                    Binding(exchange: .events, queue: queue, routingKey: Route.event(kind.kind, $0).routingKey)
                }
            }
        }
        bindings.append(Binding(exchange: .requeue, queue: queue, routingKey: "\(service).\(number).*"))
        return bindings
    }

    /// The transient queue of a partition's owner, and its bindings.
    public static func queries(_ service: ServiceName, _ number: Int, of partitions: PartitionCount)
        -> (queue: String, bindings: [Binding])
    {
        let queue = "\(service).\(number).queries"
        let bindings = partitions.buckets(of: number).map {
            Binding(exchange: .queries, queue: queue, routingKey: Route.query(service, $0).routingKey)
        }
        return (queue, bindings)
    }
}
