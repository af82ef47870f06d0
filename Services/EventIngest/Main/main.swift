import AMQP
import EventIngest
import ServiceKit

await Launcher.run(
    "event-ingest", summary: "keeps what apps tell of their users",
    settings: ProgramSettings<EventIngestSettings>.self, version: Release.version, health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "event-ingest", logger: logger, metrics: metrics)
    let service = try await EventIngestService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
