internal import Messages
internal import Messaging

/// Numbers the messages of one incarnation of a publisher, per route, and keeps what became of each number until a
/// checkpoint has told it.
struct PublisherSequence {
    /// What one route has to tell.
    struct Checkpoint: Hashable, Sendable {
        let route: Route
        let through: Int
        let unconfirmed: NumberSet
    }

    private struct Line {
        var next = 1
        /// Numbers whose fate is known.
        var settled = NumberSet()
        /// Those of them that the broker has not confirmed, and no checkpoint has named yet.
        var unconfirmed = NumberSet()
        /// Up to where a checkpoint has told.
        var told = 0
        /// When the last fate became known.
        var settledAt = Timestamp.distantPast

        /// Every number up to this one is settled.
        var through: Int { settled.ranges.first.map { $0.lowerBound == 1 ? $0.upperBound : 0 } ?? 0 }
    }
    private var lines: [Route: Line] = [:]

    /// The next number for `route`.
    mutating func next(for route: Route) -> Int {
        let number = lines[route, default: Line()].next
        lines[route, default: Line()].next = number + 1
        return number
    }

    /// What became of `number`.
    mutating func settle(_ number: Int, of route: Route, _ outcome: PublishOutcome, at now: Timestamp) {
        lines[route]?.settled.insert(number)
        lines[route]?.settledAt = now
        if outcome != .confirmed { lines[route]?.unconfirmed.insert(number) }
    }

    /// What has to be told: routes on which something was settled since the last time.
    ///
    /// - Parameter everything: also what was told before: the last word of a publisher that stops.
    func checkpoints(everything: Bool = false) -> [Checkpoint] {
        lines.compactMap { route, line in
            guard line.through > line.told || everything && line.next > 1 else { return nil }
            return Checkpoint(
                route: route, through: line.through,
                unconfirmed: line.unconfirmed.subtracting(NumberSet([line.through + 1...Int.max - 1])))
        }
    }

    /// When the fate of something sent on `route` became known last.
    func lastSettled(on route: Route) -> Timestamp? { lines[route]?.settledAt }

    /// A checkpoint has been confirmed: what it named need not be named again.
    mutating func told(_ checkpoint: Checkpoint) {
        lines[checkpoint.route]?.told = checkpoint.through
        guard let unconfirmed = lines[checkpoint.route]?.unconfirmed else { return }
        lines[checkpoint.route]?.unconfirmed = unconfirmed.subtracting(checkpoint.unconfirmed)
    }
}
