/// Values that were seen, as sums.
public struct Sample: Sendable, Hashable {
    /// How many.
    public let count: Int
    /// All together.
    public let sum: Double
    /// Of each one's square.
    public let sumOfSquares: Double

    /// A sample of these.
    public init(count: Int, sum: Double, sumOfSquares: Double) {
        self.count = max(0, count)
        self.sum = sum
        self.sumOfSquares = sumOfSquares
    }

    /// 0 for none.
    public var mean: Double { count == 0 ? 0 : sum / Double(count) }

    /// Around the mean, over all; 0 for none.
    public var variance: Double {
        // What rounding leaves below zero is none.
        count == 0 ? 0 : max(0, sumOfSquares / Double(count) - mean * mean)
    }
}
