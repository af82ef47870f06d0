import AMQP
import ReceiptValidator
import ServiceKit

await Launcher.run(
    "receipt-validator", summary: "verifies what stores sign",
    settings: ProgramSettings<ReceiptValidatorSettings>.self, version: Release.version, health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "receipt-validator", logger: logger, metrics: metrics)
    let service = try await ReceiptValidatorService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
