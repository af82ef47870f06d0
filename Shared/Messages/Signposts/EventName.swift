/// What happened, in an app's own words, e.g. `paywall_viewed`. An app has up to ``budget`` of them.
public struct EventName: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A step of the way to the first paywall, with `step`, `index` and perhaps `value`; feeds the funnel.
    public static let onboardingStep = EventName(rawValue: "onboarding_step")

    /// How many different names an app may use.
    public static let budget = 32

    /// What a good one looks like; said when one is not.
    public static let expectation = "1 to 48 of a-z, 0-9 and _, a letter first, and not rh_ at the beginning"

    /// Whether it is written as names are: `^[a-z][a-z0-9_]{0,47}$`.
    public var isWellFormed: Bool { rawValue.isSnakeCase(upTo: 48) }
    /// Whether it begins with `rh_`, which is kept for the service itself.
    public var isReserved: Bool { rawValue.utf8.starts(with: "rh_".utf8) }
    /// Whether an app may use it.
    public var isGood: Bool { isWellFormed && !isReserved }
}

extension String {
    /// Whether it is `[a-z][a-z0-9_]*` of 1 to `bytes` bytes.
    func isSnakeCase(upTo bytes: Int) -> Bool {
        guard (1...bytes).contains(utf8.count), let first = utf8.first else { return false }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return letters.contains(first)
            && utf8.allSatisfy { byte in
                letters.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
    }
}
