/// Where a quantity lies, by what has been seen.
public struct Interval: Sendable, Hashable {
    /// Not below this.
    public var lower: Double
    /// Not above this.
    public var upper: Double

    /// An interval of these.
    public init(lower: Double, upper: Double) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether nothing is all that it can be: then nothing is shown.
    public var containsZero: Bool { lower <= 0 && upper >= 0 }

    /// Whether the quantity may be `value`.
    public func contains(_ value: Double) -> Bool { lower <= value && value <= upper }
}
