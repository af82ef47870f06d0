public import ServiceKit

/// How a program reaches its broker.
public struct BrokerSettings: SettingsGroup {
    private static let addressSetting = Setting<BrokerAddress>(
        "TOLLGATE_BROKER", default: nil, "The broker and the login at it",
        expectation: "amqp://user:password@host:port/vhost, or amqps://, each part percent-encoded", isSecret: true
    ) { BrokerAddress($0) }

    private static let authoritySetting = Setting<String?>.optionalText(
        "TOLLGATE_BROKER_CA",
        "PEM file of the authorities that may vouch for the broker, for amqps; none: those of the system")
    private static let certificateSetting = Setting<String?>.optionalText(
        "TOLLGATE_BROKER_CERTIFICATE", "PEM file of our certificate and its chain, where the broker asks for one")
    private static let keySetting = Setting<String?>.optionalText(
        "TOLLGATE_BROKER_KEY", "PEM file of our certificate's private key")
    private static let heartbeatSetting = Setting<Duration>(
        "TOLLGATE_BROKER_HEARTBEAT", default: "10s",
        "How long the broker may be silent before the connection counts as dead (it is twice this at worst)",
        expectation: "whole seconds from 1s to 10m"
    ) { text in
        Duration(settingText: text).flatMap {
            $0 >= .seconds(1) && $0 <= .seconds(600) && $0.components.attoseconds == 0 ? $0 : nil
        }
    }

    /// Every setting.
    public static var catalogue: [any SettingDescription] {
        [addressSetting, authoritySetting, certificateSetting, keySetting, heartbeatSetting]
    }

    /// The broker and the login at it.
    public var address: BrokerAddress
    /// Files for amqps.
    public var tls: TLSFiles
    /// How often each side says that it is there.
    public var heartbeat: Duration

    /// Settings of these.
    public init(address: BrokerAddress, tls: TLSFiles = TLSFiles(), heartbeat: Duration = .seconds(10)) {
        self.address = address
        self.tls = tls
        self.heartbeat = heartbeat
    }

    /// Reads and checks all of them.
    public init(from settings: Settings) throws(SettingsError) {
        address = try settings.value(of: Self.addressSetting)
        heartbeat = try settings.value(of: Self.heartbeatSetting)
        tls = TLSFiles(
            authority: try settings.value(of: Self.authoritySetting),
            certificate: try settings.value(of: Self.certificateSetting),
            key: try settings.value(of: Self.keySetting))
        guard (tls.certificate == nil) == (tls.key == nil) else {
            throw SettingsError(
                name: Self.keySetting.name, value: tls.key,
                expectation: "a key where \(Self.certificateSetting.name) is given, and none where it is not")
        }
    }
}

/// Paths of PEM files for a connection with TLS.
public struct TLSFiles: Sendable, Hashable {
    /// Who may vouch for the broker; nil: whom the system trusts.
    public var authority: String?
    /// Our own certificate, with its chain; goes with ``key``.
    public var certificate: String?
    /// The private key of it.
    public var key: String?

    /// Files of these.
    public init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }
}
