/// Where an artifact comes from, in one vocabulary for all kinds. The stores have several words for the same.
public struct ArtifactEnvironment: RawRepresentable, Hashable, Sendable, Codable {
    /// The word in reports and options.
    public let rawValue: String

    /// Any word, known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Real money, devices of customers.
    public static let production = ArtifactEnvironment(rawValue: "production")
    /// Testers' accounts, TestFlight, and Apple's own reviewers.
    public static let sandbox = ArtifactEnvironment(rawValue: "sandbox")
    /// Signed on a developer's machine.
    public static let xcode = ArtifactEnvironment(rawValue: "xcode")
    /// App Attest of an app under development.
    public static let development = ArtifactEnvironment(rawValue: "development")
    /// It does not tell, or in a word that is not known.
    public static let unknown = ArtifactEnvironment(rawValue: "unknown")

    /// Those that a caller can ask for.
    public static let expectable = [production, sandbox, xcode, development]

    /// What Apple's word means; `nil` for an artifact that does not tell.
    public init(_ environment: AppleEnvironment?) {
        switch environment?.rawValue {
        case "Production", "ProductionVPP": self = .production
        case "Sandbox", "ProductionSandbox", "ProductionVPPSandbox": self = .sandbox
        case "Xcode", "LocalTesting": self = .xcode
        default: self = .unknown
        }
    }

    /// Apple's words for it in signed texts.
    var appleEnvironments: Set<AppleEnvironment> {
        switch self {
        case .production: [.production]
        case .sandbox: [.sandbox]
        case .xcode: [.xcode, .localTesting]
        default: []
        }
    }
}
