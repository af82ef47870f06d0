import AMQP
import TestSupport
import Testing

@Suite("RabbitMQ")
struct ConformanceTests {
    @Test("It keeps the promises of a broker", arguments: MessagingConformance.cases)
    func conformance(promise: MessagingConformance.Case) async throws {
        let node = try await BrokerProcess.shared

        try await AMQPBroker.running(try await node.virtualHost()) { broker in
            try await promise.run(on: broker)
        }
    }
}
