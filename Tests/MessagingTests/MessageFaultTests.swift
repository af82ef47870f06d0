import Messages
import Messaging
import Testing

@Suite("Faults of messages and their deliveries")
struct MessageFaultTests {
    @Test("A fault says for how long it holds, why, and at most a thousand characters of how")
    func text() {
        let fault = MessageFault.forever(.undecodable, String(repeating: "é", count: 5000))

        #expect(fault.duration == .forever)
        #expect(fault.text == String(repeating: "é", count: 1000))
        #expect(MessageFault.forNow("no_app", "not yet").description == "not yet (no_app)")
    }

    @Test(
        "The delivery count is the broker's, whatever its type; nonsense is none",
        arguments: [
            (.int64(3), 3), (.int32(3), 3), (.uint8(3), 3), (.int64(-3), 0), (.text("3"), 0), (.uint64(.max), 0),
            (.int64(.max), .max),
        ] as [(HeaderValue, Int)])
    func deliveryCount(value: HeaderValue, expected: Int) {
        var envelope = Envelope(properties: MessageProperties(), body: [1, 2, 3])
        envelope.properties.headers["x-delivery-count"] = value
        var delivery = Delivery(tag: 1, envelope: envelope, exchange: "", routingKey: "", isRedelivered: true)

        #expect(delivery.deliveryCount == expected)
        delivery.isRedelivered = false
        #expect(delivery.deliveryCount == 0, "whoever published it has written that")
        #expect(delivery.size == 515)
    }
}
