public import HTTP
public import Lane
public import ServiceKit

/// Every setting of event-ingest but those of its broker connection. It has none of its own.
public struct EventIngestSettings: SettingsGroup {
    /// Its partitions' and its health port's.
    public static var catalogue: [any SettingDescription] { PartitionSettings.catalogue + HealthSettings.catalogue }

    /// Where its stores are, and how its lanes work.
    public var partitions: PartitionSettings
    /// Where it answers for its health.
    public var health: HealthSettings

    /// Reads and checks all of them.
    public init(from settings: Settings) throws(SettingsError) {
        partitions = try PartitionSettings(from: settings)
        health = try HealthSettings(from: settings)
    }

    /// Whether the service that runs with these settings is ready: what `--health` asks.
    public func probe() -> Bool { health.probe() }
}
