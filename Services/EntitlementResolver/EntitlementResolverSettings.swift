public import HTTP
public import Lane
public import ServiceKit

/// Every setting of entitlement-resolver but those of its broker connection.
public struct EntitlementResolverSettings: SettingsGroup {
    static let retellingInterval = Setting<Duration>.duration(
        "TOLLGATE_RESEND_EVERY", default: "24h",
        "Tell users once in so long again what they hold, evenly over that time; 0s: never")

    /// Its own, its partitions' and its health port's.
    public static var catalogue: [any SettingDescription] {
        [retellingInterval] + PartitionSettings.catalogue + HealthSettings.catalogue
    }

    /// Where its stores are, and how its lanes work.
    public var partitions: PartitionSettings
    /// In which users are told again, once, what they hold; zero: never.
    public var retellingInterval: Duration
    /// Where it answers for its health.
    public var health: HealthSettings

    /// Reads and checks all of them.
    public init(from settings: Settings) throws(SettingsError) {
        partitions = try PartitionSettings(from: settings)
        retellingInterval = try settings.value(of: Self.retellingInterval)
        health = try HealthSettings(from: settings)
    }

    /// Whether the service that runs with these settings is ready: what `--health` asks.
    public func probe() -> Bool { health.probe() }
}
