internal import Messages

/// One partition as a taker of messages.
struct Taker: Hashable, Sendable {
    let service: ServiceName
    let partition: Int

    init(_ service: ServiceName, _ partition: Int) {
        self.service = service
        self.partition = partition
    }
}

/// Who has to see what is published under a routing key.
struct Audience {
    /// Partitions that have to have seen each number between them.
    struct Listener {
        let service: ServiceName
        /// Where it is counted.
        let partition: Int
        let partitions: [Taker]
    }

    let listeners: [Listener]

    /// Commands are seen by their service, events by each service that takes their kind, configuration by every
    /// partition of each. What has a kind that this release does not know has to be seen by those who heard of it.
    ///
    /// A service's partitions count together: after a change of their number an old one keeps what it has seen.
    init(
        of routingKey: String, heardBy services: Set<ServiceName>, _ look: Look,
        _ catalogue: [MessageKind: KindDescription]
    ) {
        let end = routingKey.lastIndex(of: ".") ?? routingKey.endIndex
        let name = String(routingKey[..<end])
        let bucket = Int(routingKey[end...].dropFirst()).flatMap { Bucket($0) } ?? Bucket.all[0]
        let takers: [ServiceName]
        var isConfiguration = false
        if look.counts[ServiceName(rawValue: name)] != nil {
            takers = [ServiceName(rawValue: name)]
        } else if let kind = catalogue[MessageKind(rawValue: name)], kind.role == .event {
            takers = kind.takers.filter { look.counts[$0] != nil }
            isConfiguration = kind.isConfiguration
        } else {
            takers = services.sorted()
        }
        listeners = takers.flatMap { service -> [Listener] in
            let count = look.counts[service] ?? .one
            let all = (0..<count.rawValue).map { Taker(service, $0) }
            guard isConfiguration else {
                return [Listener(service: service, partition: bucket.partition(of: count), partitions: all)]
            }
            return all.map { Listener(service: service, partition: $0.partition, partitions: [$0]) }
        }
    }
}
