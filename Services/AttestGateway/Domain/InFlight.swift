/// What an edge has counted and the others may not have heard of yet, and how much of that there may be: its share of what
/// is left of a limit. Kept in turns; a turn is as long as a report may be on its way, and begins with one.
struct InFlight: Sendable {
    /// What an edge has of what is left for a caller who came to it alone, beyond its equal share: so that he has nearly
    /// all of his limit, however many edges there are. Less than the quarter by which a limit may be exceeded: an edge that
    /// has just come knows for a moment less than the others.
    private static let bonus = 0.2

    /// The turn in which ``fresh`` was counted.
    private(set) var turn: Int32 = 0
    /// Counted in this turn; nobody else can know of it.
    private var fresh: Int32 = 0
    /// Counted in the turn before; it may still be on its way.
    private var underWay: Int32 = 0

    private var count: Double { Double(fresh) + Double(underWay) }

    /// What was counted before the turn before has arrived by now.
    mutating func turn(to turn: Int32) {
        guard turn != self.turn else { return }
        underWay = turn == self.turn &+ 1 ? fresh : 0
        fresh = 0
        self.turn = turn
    }

    /// Counts one.
    mutating func add() { fresh = fresh.incremented }

    /// Whether one more may be counted before the others have heard of these.
    ///
    /// - Parameters:
    ///   - total: what all edges have counted, these included, as far as it is known here.
    ///   - own: what this edge has counted of that.
    ///   - edges: that share the limit, this one included.
    func hasRoom(within limit: Int, total: Double, own: Double, edges: Int) -> Bool {
        guard edges > 1 else { return true }
        // What is in flight says nothing yet of where the caller is: he may be everywhere.
        let known = total - count
        let part = known >= 1 ? min(1, max(0, own - count) / known) : 0
        let left = (Double(limit) - known) * (1 / Double(edges) + Self.bonus * part)
        // One is always let through: a limit may be smaller than the number of edges. The hair's breadth is for what
        // doubles lose on the way.
        return count + 1 <= max(1, left) + 1e-6
    }
}

extension Int32 {
    /// One more, if there is one.
    var incremented: Int32 { self == .max ? self : self + 1 }
}
