/// How well a stored fact is founded.
public struct Trust: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The caller said so.
    public static let unverified = Trust(rawValue: "unverified")
    /// The caller is a genuine app on a genuine device.
    public static let attested = Trust(rawValue: "attested")
    /// A store signed it.
    public static let verified = Trust(rawValue: "verified")

    /// Whether more than the caller's word stands for it.
    public var isAttested: Bool { self == .attested || self == .verified }
}

/// How strongly a claim ties a transaction to a user. A lower rank never displaces a higher one.
public enum ClaimRank: Int, Codable, Sendable, Comparable, CaseIterable {
    /// The caller said so.
    case unverified = 0
    /// An attested device said so.
    case attested = 1
    /// Whoever claims it holds the transaction as the store signed it.
    case verified = 2
    /// The store signed the user's own id into the transaction (`appAccountToken`).
    case accountToken = 3
    /// An operator said so.
    case pinned = 4

    /// By strength.
    public static func < (left: ClaimRank, right: ClaimRank) -> Bool { left.rawValue < right.rawValue }

    /// The trust label that an answer shows for it.
    public var trust: Trust {
        switch self {
        case .unverified: .unverified
        case .attested: .attested
        case .verified, .accountToken, .pinned: .verified
        }
    }
}

/// Where a store took money, or did not.
public struct StoreEnvironment: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Real money.
    public static let production = StoreEnvironment(rawValue: "production")
    /// A store's test environment. Never grants in production.
    public static let sandbox = StoreEnvironment(rawValue: "sandbox")
    /// Signed by a developer's own machine.
    public static let xcode = StoreEnvironment(rawValue: "xcode")
    /// The artifact does not say. Grants nowhere.
    public static let unknown = StoreEnvironment(rawValue: "unknown")
}

/// What happens to a link when a claim of the same rank names another user; set per app.
public struct LinkMovePolicy: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The newer claim moves it.
    public static let move = LinkMovePolicy(rawValue: "move")
    /// It stays.
    public static let keep = LinkMovePolicy(rawValue: "keep")
    /// The newer claim moves it if the subscription had lapsed when the claim was accepted.
    public static let moveIfInactive = LinkMovePolicy(rawValue: "move_if_inactive")
    /// All policies of this release.
    public static let all = [move, keep, moveIfInactive]
}
