import AMQP
import AttestGateway
import ServiceKit

/// The service's settings, and its broker's.
struct ProgramSettings: SettingsGroup {
    static var catalogue: [any SettingDescription] {
        BrokerSettings.catalogue + AttestGatewaySettings.catalogue
    }

    let broker: BrokerSettings
    let service: AttestGatewaySettings

    init(from settings: Settings) throws(SettingsError) {
        broker = try BrokerSettings(from: settings)
        service = try AttestGatewaySettings(from: settings)
    }
}

await Launcher.run(
    "attest-gateway", summary: "turns HTTP into messages, and keeps apps and keys", settings: ProgramSettings.self,
    version: Release.version, health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "attest-gateway", logger: logger, metrics: metrics)
    let service = try await AttestGatewayService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
