internal import Messages

/// What looked lost, and since when. Publishers and takers are not asked in the same moment, and how much lanes have in
/// hand is known late: what looks lost once may only be on its way. What looks lost twice, some seconds apart, is.
package struct Suspicion: Sendable {
    private var missing: [NumberLedger.Finding] = []
    private var since: ContinuousClock.Instant?

    /// Nothing is missing.
    package init() {}

    /// Nothing is missing.
    package var isEmpty: Bool { since == nil }

    /// Whether what is missing was missing all the time for longer than `duration`.
    package func isOlder(than duration: Duration, at now: ContinuousClock.Instant) -> Bool {
        since.map { now - $0 >= duration } ?? false
    }

    /// Takes down what a look misses.
    ///
    /// - Returns: the look, with nothing lost but what has been missing in every look since the first that missed it.
    package mutating func weigh(_ look: Reconciliation, at now: ContinuousClock.Instant) -> Reconciliation {
        guard !look.lost.isEmpty else {
            self = Suspicion()
            return look
        }
        let still = look.doubting(allBut: missing)
        if still.lost.isEmpty {
            // None of it was missing before: it has to prove itself too.
            missing = look.lost
            since = now
            return look
        }
        missing = still.lost
        return still
    }
}
