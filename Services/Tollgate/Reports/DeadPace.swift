/// When the next letters of a replay may go, so that no more than so many go in a second. Time in which none went is not
/// made up for: after a pause of the broker the rate is what it was.
///
/// Pure.
package struct DeadPace: Sendable {
    /// Letters a second, at least 1.
    private let rate: Int
    private var due: ContinuousClock.Instant

    /// Begins at `start`.
    package init(rate: Int, from start: ContinuousClock.Instant) {
        self.rate = rate
        due = start
    }

    /// How many go at once: what four times a second makes the rate.
    package func portion(of most: Int) -> Int { max(1, min(most, rate / 4)) }

    /// `count` letters have gone by `now`.
    ///
    /// - Returns: when the next ones may.
    package mutating func next(after count: Int, at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        due = max(due + .seconds(Double(count) / Double(rate)), now)
        return due
    }
}
