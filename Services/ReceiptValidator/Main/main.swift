import AMQP
import ReceiptValidator
import ServiceKit

/// The service's settings, and its broker's.
struct ProgramSettings: SettingsGroup {
    static var catalogue: [any SettingDescription] {
        BrokerSettings.catalogue + ReceiptValidatorSettings.catalogue
    }

    let broker: BrokerSettings
    let service: ReceiptValidatorSettings

    init(from settings: Settings) throws(SettingsError) {
        broker = try BrokerSettings(from: settings)
        service = try ReceiptValidatorSettings(from: settings)
    }
}

await Launcher.run(
    "receipt-validator", summary: "verifies what stores sign", settings: ProgramSettings.self,
    version: Release.version, health: { $0.service.probe() }
) { settings, logger in
    let metrics = MetricsRegistry()
    let broker = AMQPBroker(settings.broker, name: "receipt-validator", logger: logger, metrics: metrics)
    let service = try await ReceiptValidatorService(
        settings.service, version: Release.version, broker: broker, canPublish: { broker.isConnected },
        logger: logger, metrics: metrics)
    return ServiceGroup([.init("broker", broker), .init("service", service)], logger: logger)
}
