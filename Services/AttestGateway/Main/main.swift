import AMQP
import AttestGateway
import ServiceKit

await Launcher.run(
    "attest-gateway", summary: "turns HTTP into messages, and keeps apps, keys and devices",
    settings: ProgramSettings<AttestGatewaySettings>.self, version: Release.version, health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "attest-gateway", logger: logger, metrics: metrics)
    let service = try await AttestGatewayService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
