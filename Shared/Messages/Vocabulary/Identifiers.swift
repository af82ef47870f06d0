/// An exact text that names one thing; a type of its own per thing, so that two cannot be swapped.
///
/// Two are equal when their bytes are, as in stores and buckets, and their bytes order them; `String` takes é for e with
/// an accent.
public protocol TextIdentifier: RawRepresentable, Codable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue == String {
    /// Takes the text as it is: no trimming, no normalisation.
    init(rawValue: String)
}

extension TextIdentifier {
    /// The text.
    public var description: String { rawValue }

    /// Whether it may name something that callers and stores name: 1 to 256 bytes, none of them zero.
    public var isAcceptable: Bool { (1...256).contains(rawValue.utf8.count) && !rawValue.utf8.contains(0) }

    /// Byte for byte.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }

    /// As SQLite sorts them too.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    /// Of the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

/// An organisation: owns apps, and shares its customers among them.
public struct OrganisationID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// An app within its organisation: its bundle id.
public struct AppID: TextIdentifier {
    /// The bundle id.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A user as the app names him: 1 to 256 UTF-8 bytes, opaque, case-sensitive.
public struct AppUserID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Made by an SDK before log-in (`$anon_…`); never displaces an identified user.
    public var isAnonymous: Bool { rawValue.hasPrefix("$anon_") }
}

/// One purchase or renewal, as the store numbers it.
public struct TransactionID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The first transaction of a purchase or subscription; renewals share it.
public struct OriginalTransactionID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What is sold, as the store names it.
public struct ProductID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What a purchase unlocks, as the app names it, e.g. `pro`.
public struct EntitlementID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One installation of an app on one device, as its SDK names it: 1 to 256 UTF-8 bytes, opaque, case-sensitive.
public struct InstallID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// An experiment on a paywall; the operator's tool makes it.
public struct ExperimentID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// An arm of an experiment, e.g. `control`.
public struct VariantKey: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A place in an app that shows a paywall, e.g. `settings`.
public struct PlacementID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// SHA-256 of an artifact's text as received, in lower-case hexadecimal.
public struct ArtifactDigest: TextIdentifier {
    /// 64 hexadecimal digits.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One incarnation of a process that publishes: it numbers its messages, and a restart is another one.
public struct PublisherID: TextIdentifier {
    /// `<service>:<instance>`.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// One of `service`.
    public init(of service: ServiceName, instance: String) { rawValue = "\(service):\(instance)" }

    /// Whether it is one of the service that is logged in as `user`.
    ///
    /// Nobody else's numbers and checkpoints are taken: with a service's name on them they would hide its losses, or
    /// report some that are none, and under names of their own strangers could have any number of numbers remembered.
    public func belongs(to user: BrokerUser?) -> Bool {
        ServiceName.all.contains { service in
            user == BrokerUser(of: service) && rawValue.utf8.starts(with: "\(service):".utf8)
        }
    }
}

/// Names a server key; the key itself is a secret.
public struct KeyID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A kind of message with its version, e.g. `transaction.verified.v1`.
public struct MessageKind: TextIdentifier, ExpressibleByStringLiteral {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// From a literal.
    public init(stringLiteral value: String) { rawValue = value }
}

/// A service of the installation; its name begins the names of its queues, and is its broker user.
public struct ServiceName: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Edge and registry.
    public static let attestGateway = ServiceName(rawValue: "attest-gateway")
    /// Verifies what stores sign.
    public static let receiptValidator = ServiceName(rawValue: "receipt-validator")
    /// Who owns what, and what it unlocks.
    public static let entitlementResolver = ServiceName(rawValue: "entitlement-resolver")

    /// What is offered to whom, and what comes of it.
    public static let paywallExperiments = ServiceName(rawValue: "paywall-experiments")
    /// What apps tell of their users.
    public static let eventIngest = ServiceName(rawValue: "event-ingest")

    /// Every service of this release, in the order in which they are started.
    public static let all = [attestGateway, receiptValidator, entitlementResolver, paywallExperiments, eventIngest]
}

/// A login at the broker, which the broker writes into each message it takes (`user_id`).
public struct BrokerUser: TextIdentifier {
    /// The login name.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The user of `service`.
    public init(of service: ServiceName) { rawValue = service.rawValue }

    /// The operator's tool.
    public static let operatorTool = BrokerUser(rawValue: "tollgate")
    /// Load tests: may publish commands, nothing else.
    public static let load = BrokerUser(rawValue: "tollgate-load")
}
