/// Asks the registry which devices there are, a page at a time. Sent by the operator's tool.
public struct DevicesPage: Query {
    /// `devices.page.v1`
    public static let kind: MessageKind = "devices.page.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]

    /// Up to 200 devices, and where to go on.
    public struct Value: Codable, Sendable, Hashable {
        /// By organisation, app and key id; may be fewer than were asked for, or none, before the last page.
        public var devices: [DeviceRecord]
        /// Give it as ``DevicesPage/after``; absent on the last page.
        public var next: String?

        /// A page of these.
        public init(devices: [DeviceRecord], next: String?) {
            self.devices = devices
            self.next = next
        }
    }

    /// Whether a device gets tokens.
    public struct State: TextIdentifier {
        /// The text.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It does.
        public static let active = State(rawValue: "active")
        /// It does not.
        public static let revoked = State(rawValue: "revoked")
        /// Both.
        public static let all = [active, revoked]
    }

    /// Where the page before ended.
    public var after: String?
    /// Only those of one organisation.
    public var organisation: OrganisationID?
    /// Only those of one app.
    public var app: AppID?
    /// Only this one.
    public var keyID: DeviceKeyID?
    /// Only those that one of Apple's services has vouched for.
    public var environment: AttestEnvironment?
    /// Only those that get tokens, or those that do not.
    public var state: State?
    /// Only those that were attested last at this time or later.
    public var attestedFrom: Timestamp?
    /// Only those that were attested last before this time.
    public var attestedBefore: Timestamp?

    /// A question about all of them.
    public init(after: String? = nil) { self.after = after }

    /// The registry has one partition.
    public var key: String { "registry" }
}

/// A device as the registry keeps it, less its public key and its receipt.
public struct DeviceRecord: Codable, Sendable, Hashable {
    /// What is to be thought of the receipt in its last attestation, which the attestation does not cover.
    public struct Receipt: Codable, Sendable, Hashable {
        /// SHA-256 of the receipt, in lower-case hexadecimal; absent where there was none.
        public var digest: String?
        /// Whether it was verified: fit for Apple's fraud assessment.
        public var isVerified: Bool
        /// Where it was not: the step that failed, and why.
        public var step: String?
        /// Why, as a stable code.
        public var reason: String?

        /// A verdict.
        public init(digest: String?, isVerified: Bool, step: String? = nil, reason: String? = nil) {
            self.digest = digest
            self.isVerified = isVerified
            self.step = step
            self.reason = reason
        }
    }

    /// What its tokens depend on.
    public var standing: DeviceStanding
    /// Whether a root of the app's own has vouched for it, not Apple's.
    public var isTest: Bool
    /// The highest counter that it has shown.
    public var counter: Int64
    /// When it was attested first.
    public var firstAttestedAt: Timestamp
    /// When it was attested last.
    public var attestedAt: Timestamp
    /// When it asked for a token last by an assertion.
    public var lastAssertedAt: Timestamp?
    /// Why it was revoked.
    public var revokedWhy: String?
    /// The receipt in the last attestation.
    public var receipt: Receipt
    /// The app's version at the last attestation, where the system tells it (iOS 26 and later).
    public var bundleVersion: String?
    /// How the app was distributed, where the system tells it: 2 TestFlight, 3 for development, 4 App Store, …
    public var validationCategory: Int64?

    /// A device of these.
    public init(
        standing: DeviceStanding, isTest: Bool, counter: Int64 = 0, firstAttestedAt: Timestamp, attestedAt: Timestamp,
        lastAssertedAt: Timestamp? = nil, revokedWhy: String? = nil, receipt: Receipt, bundleVersion: String? = nil,
        validationCategory: Int64? = nil
    ) {
        self.standing = standing
        self.isTest = isTest
        self.counter = counter
        self.firstAttestedAt = firstAttestedAt
        self.attestedAt = attestedAt
        self.lastAssertedAt = lastAssertedAt
        self.revokedWhy = revokedWhy
        self.receipt = receipt
        self.bundleVersion = bundleVersion
        self.validationCategory = validationCategory
    }
}
