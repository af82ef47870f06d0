/// How often something was done, and how long that took.
struct Tally {
    private var rounds = 0
    private var time = Duration.zero

    var perSecond: Double {
        Double(rounds) / (Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
    }

    /// Does it for about so long; `body` is told how often it was done before.
    mutating func measure(for slice: Duration, of body: (Int) throws -> Void) rethrows {
        let clock = ContinuousClock()
        let start = clock.now
        repeat {
            for _ in 0..<16 {
                try body(rounds)
                rounds += 1
            }
        } while clock.now - start < slice
        time += clock.now - start
    }
}

/// How often a second something is done, and how often by `bare`, which takes the length of a slice and tells its rate.
///
/// By turns and in short slices: what else the machine does then slows both alike, and the ratio holds.
func ratePerSecond(
    of body: () throws -> Void, against bare: (Duration) -> Double
) rethrows -> (rate: Double, limit: Double) {
    let (slices, slice) = (40, Duration.milliseconds(50))
    var tally = Tally()
    var limits: [Double] = []
    for _ in 0..<slices {
        limits.append(bare(slice))
        try tally.measure(for: slice) { _ in try body() }
    }
    // Each slice took as long, so that the mean of their rates is the rate of all.
    return (tally.perSecond, limits.reduce(0, +) / Double(slices))
}
