import Messages

extension Topology {
    /// Everything to declare, in an order in which each thing is there before what refers to it. Asked all at once:
    /// 768 bindings take as long as the broker needs for them, not 768 round trips.
    ///
    /// - Parameter areQueuesNew: see ``oneQueueMore``. Bindings come after it: until then nothing reaches the queues.
    func requests(areQueuesNew: Bool) -> [Request] {
        exchanges.map { .declareExchange(name: $0.rawValue, type: $0.type) } + queues.map(Request.declareQueue)
            + (areQueuesNew ? oneQueueMore : []) + bindings.map(Request.bind)
    }

    /// Declares a queue and deletes it, so that all before it are in the broker's files.
    ///
    /// RabbitMQ 3.10 keeps the name of a new quorum queue in memory until it is asked for the next name, or for half a
    /// second at least (`names.dets`, opened by ra_directory.erl with `auto_save`). Killed before that, it gives the
    /// queue a new log: what it had confirmed is gone, nobody leads the queue, and consuming it waits for ever.
    private var oneQueueMore: [Request] {
        guard let last = queues.last else { return [] }
        // A name of its own: one that a killed broker has kept cannot be deleted any more.
        let extra = QueueDeclaration(
            name: "\(last.name).new-\(MessageID(at: .now))", arguments: ["x-queue-type": .text("quorum")])
        return [.declareQueue(extra), .deleteQueue(extra.name)]
    }
}
