import AMQP
import EntitlementResolver
import ServiceKit

/// The service's settings, and its broker's.
struct ProgramSettings: SettingsGroup {
    static var catalogue: [any SettingDescription] {
        BrokerSettings.catalogue + EntitlementResolverSettings.catalogue
    }

    let broker: BrokerSettings
    let service: EntitlementResolverSettings

    init(from settings: Settings) throws(SettingsError) {
        broker = try BrokerSettings(from: settings)
        service = try EntitlementResolverSettings(from: settings)
    }
}

await Launcher.run(
    "entitlement-resolver", summary: "knows whose a purchase is, and what it unlocks", settings: ProgramSettings.self,
    version: Release.version, health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "entitlement-resolver", logger: logger, metrics: metrics)
    let service = try await EntitlementResolverService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
