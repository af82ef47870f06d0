public import HTTP
internal import Lane
internal import Messages
public import ServiceKit

/// Every setting of attest-gateway but the broker's, its default and its check.
public struct AttestGatewaySettings: SettingsGroup {
    /// What a process of this service does.
    public enum Role: String, Sendable, CaseIterable {
        /// Turns HTTP into messages.
        case edge
        /// Keeps apps, keys and devices.
        case registry
    }

    static let roles = Setting<Set<Role>>(
        "TOLLGATE_ROLES", default: "edge,registry", "What this process does, separated by commas",
        expectation: "edge, registry, or both separated by a comma"
    ) { text in
        let roles = text.split(separator: ",").map { Role(rawValue: $0.filter { $0 != " " }) }
        guard !roles.isEmpty, !roles.contains(nil) else { return nil }
        return Set(roles.compactMap { $0 })
    }
    static let address = Setting<String>.text(
        "TOLLGATE_HTTP_ADDRESS", default: "127.0.0.1", "Numeric address that HTTP listens at; :: takes IPv4 and IPv6")
    static let port = Setting<Int>.integer(
        "TOLLGATE_HTTP_PORT", in: 0...65_535, default: 8080, "Port that HTTP listens at; 0 takes any free one")
    static let connections = Setting<Int>.integer(
        "TOLLGATE_HTTP_CONNECTIONS", in: 1...65_535, default: 1024, "Open connections; more wait")
    static let limits = Setting<Bool>.flag(
        "TOLLGATE_LIMITS", default: true, "Whether callers are limited; off is for load tests")
    /// What callers may do, unless a setting says otherwise.
    private static let defaultRates = CallerLimits.Rates()
    static let organisationLimit = Setting<Int>.integer(
        "TOLLGATE_LIMIT_ORGANISATION", in: 1...1_000_000, default: defaultRates.organisation,
        "Writes a minute of one organisation with device tokens")
    static let attestedDeviceLimit = Setting<Int>.integer(
        "TOLLGATE_LIMIT_ATTESTED_DEVICE", in: 1...1_000_000, default: defaultRates.attestedDevice,
        "Writes a minute of one device with a token")
    static let deviceLimit = Setting<Int>.integer(
        "TOLLGATE_LIMIT_DEVICE", in: 1...1_000_000, default: defaultRates.device,
        "Writes a minute of one device without a token")
    static let addressLimit = Setting<Int>.integer(
        "TOLLGATE_LIMIT_ADDRESS", in: 1...1_000_000, default: defaultRates.address,
        "Writes a minute from one client address without a token")
    static let userLimit = Setting<Int>.integer(
        "TOLLGATE_LIMIT_USERS", in: 1...1_000_000, default: defaultRates.users,
        "Different users that one app names in a minute without a token")
    static let proxies = Setting<[IPNetwork]>(
        "TOLLGATE_PROXIES", default: "",
        "Proxies whose X-Forwarded-For is believed: addresses or networks, separated by commas",
        expectation: "addresses or networks such as 10.0.0.0/8, separated by commas"
    ) { text in
        let networks = text.split(separator: ",").map { IPNetwork($0.filter { $0 != " " }) }
        return networks.contains(nil) ? nil : networks.compactMap { $0 }
    }
    static let tokenKeys = Setting<String?>.optionalText(
        "TOLLGATE_TOKEN_KEYS",
        "The file of the keys of device tokens and challenges, the same for every edge; made where there is none. Unless given, token-keys in TOLLGATE_STORE"
    )
    static let publishDeadline = Setting<Duration>.duration(
        "TOLLGATE_PUBLISH_DEADLINE", default: "800ms", "How long the broker may take to confirm a write")
    static let queryDeadline = Setting<Duration>.duration(
        "TOLLGATE_QUERY_DEADLINE", default: "2s", "How long another service may take to answer")
    static let verifyDeadline = Setting<Duration>.duration(
        "TOLLGATE_VERIFY_DEADLINE", default: "5s",
        "How long the validator may take for a verdict that a server waits for")
    static let paywallDeadline = Setting<Duration>.duration(
        "TOLLGATE_PAYWALL_DEADLINE", default: "50ms",
        "How long the experiments may take for a paywall, before the app is told to show its own list")
    static let namesDeadline = Setting<Duration>.duration(
        "TOLLGATE_NAMES_DEADLINE", default: "100ms",
        "How long event-ingest may take to judge new names of events, before they are taken unjudged")
    static let unverifiableLimit = Setting<Int>.integer(
        "TOLLGATE_LIMIT_UNVERIFIABLE", in: 0...1_000_000_000, default: 1000,
        "Notifications of one app that may be refused in a day before their signatures are looked at first")
    static let registryPatience = Setting<Duration>.duration(
        "TOLLGATE_REGISTRY_PATIENCE", default: "2s",
        "How long a starting edge waits for the registry before it serves its last known state")

    /// In the order of `--help`.
    public static var catalogue: [any SettingDescription] {
        [
            roles, address, port, connections, limits, organisationLimit, attestedDeviceLimit, deviceLimit,
            addressLimit,
            userLimit, proxies, tokenKeys, publishDeadline, queryDeadline, verifyDeadline, paywallDeadline,
            namesDeadline, unverifiableLimit,
            registryPatience,
        ] + PartitionSettings.catalogue + HealthSettings.catalogue
    }

    /// What this process does.
    public let roles: Set<Role>
    /// Where HTTP listens.
    public let address: String
    /// Where HTTP listens.
    public let port: UInt16
    /// Where health is answered.
    public let health: HealthSettings
    /// Of the registry.
    let partitions: PartitionSettings
    /// Where the registry's store is, and where an edge keeps the registry's last known state.
    var storeFolder: String { partitions.storeFolder }
    let connections: Int
    /// Nil: callers are not limited.
    let rates: CallerLimits.Rates?
    let proxies: [IPNetwork]
    /// The file of the edges' keys.
    let tokenKeys: String
    let publishDeadline: Duration
    let queryDeadline: Duration
    let verifyDeadline: Duration
    let paywallDeadline: Duration
    let namesDeadline: Duration
    let unverifiableLimit: Int
    let registryPatience: Duration

    /// Reads and checks all of them.
    public init(from settings: Settings) throws(SettingsError) {
        roles = try settings.value(of: Self.roles)
        address = try settings.value(of: Self.address)
        port = UInt16(try settings.value(of: Self.port))
        connections = try settings.value(of: Self.connections)
        health = try HealthSettings(from: settings)
        partitions = try PartitionSettings(from: settings)
        guard partitions.count == .one else {
            throw SettingsError(
                name: "TOLLGATE_PARTITIONS", value: String(partitions.count.rawValue),
                expectation: "1: one counter gives the registry's versions")
        }
        let rates = CallerLimits.Rates(
            organisation: try settings.value(of: Self.organisationLimit),
            attestedDevice: try settings.value(of: Self.attestedDeviceLimit),
            device: try settings.value(of: Self.deviceLimit), address: try settings.value(of: Self.addressLimit),
            users: try settings.value(of: Self.userLimit))
        self.rates = try settings.value(of: Self.limits) ? rates : nil
        proxies = try settings.value(of: Self.proxies)
        tokenKeys = try settings.value(of: Self.tokenKeys) ?? partitions.storeFolder + "/token-keys"
        publishDeadline = try settings.value(of: Self.publishDeadline)
        queryDeadline = try settings.value(of: Self.queryDeadline)
        verifyDeadline = try settings.value(of: Self.verifyDeadline)
        paywallDeadline = try settings.value(of: Self.paywallDeadline)
        namesDeadline = try settings.value(of: Self.namesDeadline)
        unverifiableLimit = try settings.value(of: Self.unverifiableLimit)
        registryPatience = try settings.value(of: Self.registryPatience)
    }

    /// Whether the service that runs with these settings is ready: what `--health` asks.
    public func probe() -> Bool { health.probe() }
}
