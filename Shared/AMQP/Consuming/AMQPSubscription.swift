import Messaging

/// One consumer on one channel of a ``ConsumingConnection``.
final class AMQPSubscription: Subscription {
    private let connection: ConsumingConnection
    private let channel: UInt16
    private let buffer: DeliveryBuffer

    init(connection: ConsumingConnection, channel: UInt16, buffer: DeliveryBuffer) {
        self.connection = connection
        self.channel = channel
        self.buffer = buffer
    }

    func next(upTo count: Int, bytes: Int) async throws(BrokerError) -> [Delivery]? {
        try await buffer.next(upTo: count, bytes: bytes)
    }

    func settle(_ deliveries: [Delivery], _ settlement: Settlement) async {
        await connection.settle(deliveries.map(\.tag), settlement, on: channel)
    }

    func cancel() async { await connection.cancel(channel) }
}
