import Messages

extension Topology {
    /// Everything to declare, in an order in which each thing is there before what refers to it. Asked all at once:
    /// 768 bindings take as long as the broker needs for them, not 768 round trips.
    var requests: [Request] {
        exchanges.map { .declareExchange(name: $0.rawValue, type: $0.type) } + queues.map(Request.declareQueue)
            + bindings.map(Request.bind)
    }
}
