import AMQP
import Glibc
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit

/// Stands in for receipt-validator in tests: takes its messages, applies nothing, dies of an artifact that says so, and
/// takes its time over one that is slow.
struct DieOfArtifact: MessageHandler {
    func prepare(_ message: ArtifactSubmit, _ context: MessageContext) throws -> ArtifactSubmit {
        if message.artifact.text == "deadly" { kill(getpid(), SIGKILL) }
        return message
    }

    func apply(
        _ message: ArtifactSubmit, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        // What a slow store would do: it holds the transaction longer than the broker of that test waits for an answer.
        if message.artifact.text == "slow" { usleep(3_000_000) }
        return .applied
    }
}

await Launcher.run(
    "crash-dummy", summary: "dies of what it is given", settings: ProgramSettings<PartitionSettings>.self,
    version: Release.version,
    health: { _ in false },
    make: { settings, logger in
        let broker = AMQPBroker(settings.broker, name: "crash-dummy", logger: logger)
        let publisher = NumberedPublisher(service: .receiptValidator, over: broker.publisher)
        let partitions = try await PartitionedService(
            .receiptValidator, version: Release.version, settings: settings.service,
            schema: MigrationSequence(name: "dummy", migrations: []), broker: broker, publisher: publisher,
            logger: logger, metrics: MetricsRegistry()
        ) { @Sendable _, _ in
            var handlers = HandlerTable()
            handlers.add(DieOfArtifact())
            return handlers
        }
        return ServiceGroup(
            [.init("broker", broker), .init("publisher", publisher), .init("partitions", partitions)], logger: logger)
    })
