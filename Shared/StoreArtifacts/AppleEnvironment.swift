/// Where Apple says that something was bought. A text that we have not heard of stays what it is.
public struct AppleEnvironment: RawRepresentable, Hashable, Sendable, Codable {
    /// Apple's word.
    public let rawValue: String

    /// Any word, known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Real money.
    public static let production = AppleEnvironment(rawValue: "Production")
    /// Testers' accounts, TestFlight, and Apple's own reviewers.
    public static let sandbox = AppleEnvironment(rawValue: "Sandbox")
    /// Signed by Xcode on a developer's machine.
    public static let xcode = AppleEnvironment(rawValue: "Xcode")
    /// Signed on a developer's machine by StoreKit's test framework.
    public static let localTesting = AppleEnvironment(rawValue: "LocalTesting")
}
