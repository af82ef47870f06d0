import Messages
import Messaging
import TestSupport
import Testing

@Suite("The broker in memory")
struct InMemoryBrokerTests {
    @Test("It keeps the promises of a broker", arguments: MessagingConformance.cases)
    func conformance(promise: MessagingConformance.Case) async throws {
        let broker = InMemoryBroker()

        try await promise.run(on: broker) { broker.passTime($0) }
    }
}
