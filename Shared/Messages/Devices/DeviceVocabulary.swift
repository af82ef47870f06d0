/// A key that App Attest has certified, by which a device is known within an app: SHA-256 of its public key.
public struct DeviceKeyID: TextIdentifier {
    /// In records and events the 32 bytes in Base64 with padding; in what a device asks for, as it was sent.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Which of Apple's two attestation services has vouched for a device.
public struct AttestEnvironment: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apps from the App Store, TestFlight and enterprises.
    public static let production = AttestEnvironment(rawValue: "production")
    /// Apps run from Xcode; never counted as a customer's.
    public static let development = AttestEnvironment(rawValue: "development")
    /// All of this release.
    public static let all = [production, development]
}

/// What a token of a device depends on.
public struct DeviceStanding: Codable, Sendable, Hashable {
    /// How long a token is good, and so how long it matters that an older one is not.
    public static let tokenLifetime = Duration.seconds(90 * 24 * 60 * 60)

    /// Whose app it is.
    public var organisation: OrganisationID
    /// Its bundle id.
    public var app: AppID
    /// Which device.
    public var keyID: DeviceKeyID
    /// Who has vouched for it.
    public var environment: AttestEnvironment
    /// How often the key was attested: of the tokens that are made now.
    public var generation: Int
    /// Tokens of a lower generation are refused. Never falls.
    public var leastGeneration: Int
    /// Since when it is refused altogether; ``leastGeneration`` is above ``generation`` then.
    public var revokedAt: Timestamp?
    /// When it was attested or revoked last.
    public var changedAt: Timestamp
    /// The registry's version that raised ``leastGeneration``, and the higher one is the newer one; 0: it is what it was
    /// from the start, and nobody need remember it.
    public var version: Int

    /// The standing of a device.
    public init(
        organisation: OrganisationID, app: AppID, keyID: DeviceKeyID, environment: AttestEnvironment,
        generation: Int = 1, leastGeneration: Int = 1, revokedAt: Timestamp? = nil, changedAt: Timestamp,
        version: Int = 0
    ) {
        self.organisation = organisation
        self.app = app
        self.keyID = keyID
        self.environment = environment
        self.generation = generation
        self.leastGeneration = leastGeneration
        self.revokedAt = revokedAt
        self.changedAt = changedAt
        self.version = version
    }

    /// What messages about it have as their key.
    public var key: String { Key.device(organisation, app, keyID) }
}

extension Key {
    /// `<organisation>/<bundle id>/<key id>`
    public static func device(_ organisation: OrganisationID, _ app: AppID, _ keyID: DeviceKeyID) -> String {
        "\(organisation)/\(app)/\(keyID)"
    }
}
