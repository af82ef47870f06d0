import AMQP
import EntitlementResolver
import ServiceKit

await Launcher.run(
    "entitlement-resolver", summary: "knows whose a purchase is, and what it unlocks",
    settings: ProgramSettings<EntitlementResolverSettings>.self, version: Release.version,
    health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "entitlement-resolver", logger: logger, metrics: metrics)
    let service = try await EntitlementResolverService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
