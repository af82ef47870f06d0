public import JSON

/// What came of looking at an artifact, in one shape for all kinds: what `tollgate verify --json` prints, what the
/// server API answers, what is kept.
public struct ArtifactReport: Codable, Hashable, Sendable {
    /// The answer.
    public enum Outcome: String, Codable, Sendable {
        /// Every check that was asked for was passed.
        case verified
        /// A check failed, and will whenever it is repeated.
        case refused
        /// Genuine as far as can be told, but not to be used yet.
        case retryable
    }

    /// Whose word it is, if it is verified.
    public struct Trust: RawRepresentable, Codable, Hashable, Sendable {
        /// The text.
        public let rawValue: String
        /// Any text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Signed below a root of Apple's.
        public static let apple = Trust(rawValue: "apple")
        /// Signed below a root that the caller or the app has chosen.
        public static let test = Trust(rawValue: "test")
        /// Signed by Xcode, whose key everybody can have: proves that its parts belong together, no more.
        public static let xcode = Trust(rawValue: "xcode")
        /// Signed by a key that the caller or the app has named.
        public static let key = Trust(rawValue: "key")
        /// Signed by a key that came with it: proves that its parts belong together, no more.
        public static let ownKey = Trust(rawValue: "own_key")
    }

    /// One thing that was looked at.
    public struct Check: Codable, Hashable, Sendable {
        /// How it went.
        public enum Result: String, Codable, Sendable {
            case passed
            case failed
            /// Nothing was given to compare with, or an earlier check failed.
            case notChecked = "not_checked"
        }

        /// What was looked at, such as `chain` or `bundle_id`.
        public var name: String
        /// How it went.
        public var result: Result

        /// Pairs them.
        public init(_ name: String, _ result: Result) {
            self.name = name
            self.result = result
        }
    }

    /// What it is; for a refusal, what it was recognised as.
    public var kind: ArtifactKind
    /// The answer.
    public var verdict: Outcome
    /// The step that failed first.
    public var step: VerificationStep?
    /// Why, as a stable code.
    public var reason: RefusalReason?
    /// Why, as a sentence for people.
    public var message: String?
    /// `production`, `sandbox`, `xcode`, `development` or `unknown`; absent where nothing could be read.
    public var environment: String?
    /// Whose word it is; absent unless verified.
    public var trust: Trust?
    /// What was looked at, in the order in which it was.
    public var checks: [Check]
    /// What it says; of a refused one only what could be read, and none of it is to be believed.
    public var fields: [String: JSONValue]

    /// A report of these.
    public init(
        kind: ArtifactKind, verdict: Outcome, step: VerificationStep? = nil, reason: RefusalReason? = nil,
        message: String? = nil, environment: String? = nil, trust: Trust? = nil, checks: [Check] = [],
        fields: [String: JSONValue] = [:]
    ) {
        self.kind = kind
        self.verdict = verdict
        self.step = step
        self.reason = reason
        self.message = message
        self.environment = environment
        self.trust = trust
        self.checks = checks
        self.fields = fields
    }
}

extension ArtifactReport {
    /// Writes every member, `null` where there is nothing to say: the shape is the same for all.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(step, forKey: .step)
        try container.encode(reason, forKey: .reason)
        try container.encode(message, forKey: .message)
        try container.encode(environment, forKey: .environment)
        try container.encode(trust, forKey: .trust)
        try container.encode(checks, forKey: .checks)
        try container.encode(fields, forKey: .fields)
    }
}
