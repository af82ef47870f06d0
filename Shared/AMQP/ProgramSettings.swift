public import ServiceKit

/// All that the program of a service is told: how it reaches its broker, and what its service wants to know.
public struct ProgramSettings<ServiceSettings: SettingsGroup>: SettingsGroup {
    /// The broker's first.
    public static var catalogue: [any SettingDescription] { BrokerSettings.catalogue + ServiceSettings.catalogue }

    /// How it reaches its broker.
    public let broker: BrokerSettings
    /// The service's own.
    public let service: ServiceSettings

    /// Reads and checks all of them.
    public init(from settings: Settings) throws(SettingsError) {
        broker = try BrokerSettings(from: settings)
        service = try ServiceSettings(from: settings)
    }
}
