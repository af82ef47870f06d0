import AMQP
import PaywallExperiments
import ServiceKit

await Launcher.run(
    "paywall-experiments", summary: "decides what is offered to whom, and keeps what comes of it",
    settings: ProgramSettings<PaywallExperimentsSettings>.self, version: Release.version, health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "paywall-experiments", logger: logger, metrics: metrics)
    let service = try await PaywallExperimentsService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
