internal import Messages

/// How often each of many callers does something, here and at the other edges: a limit a minute, kept in bounded memory.
///
/// What the others have let through is known a little late. So what this edge lets through before it is sure that the
/// others have heard of it is bounded too: by its share of what is left. All shares together are little more than the
/// whole, so that a caller who turns to all edges at the same moment gets little more than the limit.
package struct RateTable: Sendable {
    /// What is known of a caller.
    private struct Entry {
        /// Here and elsewhere.
        var all = SlidingMinute()
        /// Here alone.
        var own = SlidingMinute()
        /// The turn in which ``fresh`` was counted.
        var turn: Int32 = 0
        /// Let through in this turn; nobody else can know of it.
        var fresh: Int32 = 0
        /// Let through in the turn before; it may still be on its way.
        var underWay: Int32 = 0
        /// Not told yet.
        var untold: Int32 = 0

        /// What the others may not have heard of.
        var inFlight: Double { Double(fresh) + Double(underWay) }

        mutating func turn(to turn: Int32) {
            guard turn != self.turn else { return }
            underWay = turn == self.turn &+ 1 ? fresh : 0
            fresh = 0
            self.turn = turn
        }
    }

    /// Callers in a minute that are told apart; those beyond share ``sharedCounters`` counters.
    private let capacity: Int
    private static let sharedCounters: UInt64 = 1024
    private static let minute: Int64 = 60_000
    /// What an edge has of what is left for a caller who came to it alone, beyond its equal share: so that he has nearly
    /// all of his limit, however many edges there are.
    private static let bonus = 0.25

    /// The number of the minute in which ``current`` began.
    private var index: Int64 = 0
    private var current: [CallerHash: Entry] = [:]
    /// Callers of the minute before who have not come again.
    private var previous: [CallerHash: Entry] = [:]
    private var turn: Int32 = 0
    /// Callers of whom there is something to tell, with the part of the limit that they have used here.
    private var toTell: [CallerHash: Double] = [:]

    package init(capacity: Int = 100_000) { self.capacity = capacity }

    /// Whole seconds, at least 1, until `caller` may do it again; nil: now.
    ///
    /// - Parameters:
    ///   - limit: a minute, at least 1.
    ///   - edges: that share it, this one included.
    ///   - time: milliseconds of a clock that never goes back, from 0.
    package mutating func wait(for caller: CallerHash, limit: Int, edges: Int, at time: Int64) -> Int? {
        advance(to: time)
        guard var entry = entry(of: place(of: caller)) else { return nil }
        entry.turn(to: turn)
        let total = entry.all.total(at: time)
        // The hair's breadth is for what doubles lose on the way.
        guard total + 1 <= Double(limit) + 1e-6 else {
            return Self.seconds(entry.all.wait(until: Double(limit - 1), at: time))
        }
        guard edges > 1 else { return nil }
        // What is in flight says nothing yet of where the caller is: he may be everywhere.
        let known = total - entry.inFlight
        let part = known >= 1 ? min(1, max(0, entry.own.total(at: time) - entry.inFlight) / known) : 0
        let left = (Double(limit) - known) * (1 / Double(edges) + Self.bonus * part)
        // One is always let through: a limit may be smaller than the number of edges.
        return entry.inFlight + 1 <= max(1, left) + 1e-6 ? nil : Self.retry
    }

    /// Counts one time that this edge has let through.
    package mutating func count(_ caller: CallerHash, limit: Int, edges: Int, at time: Int64) {
        advance(to: time)
        let place = place(of: caller)
        var entry = take(place)
        entry.turn(to: turn)
        entry.all.add(1, at: time)
        entry.own.add(1, at: time)
        entry.fresh = entry.fresh.incremented
        if edges > 1 {
            entry.untold = entry.untold.incremented
            let own = entry.own.total(at: time)
            // All that the edges keep to themselves together is a sixteenth of the limit.
            if own * 16 * Double(edges) >= Double(limit) { tell(place, own / Double(limit)) }
        }
        current[place] = entry
    }

    /// What was in flight in the turn before has arrived by now. A turn is as long as a report may be on its way, and
    /// begins with one.
    package mutating func takeTurn() { turn &+= 1 }

    /// What this edge has let through since the report before, for the callers who have used most of their limit.
    package mutating func takeReport(most: Int) -> [CallerHash: Int] {
        var told: [CallerHash: Int] = [:]
        let chosen =
            toTell.count <= most ? toTell.map(\.key) : toTell.sorted { $0.value > $1.value }.prefix(most).map(\.key)
        for caller in chosen {
            toTell[caller] = nil
            guard var entry = entry(of: caller), entry.untold > 0 else { continue }
            told[caller] = Int(entry.untold)
            entry.untold = 0
            previous[caller] = nil
            current[caller] = entry
        }
        return told
    }

    /// What this edge has let through within the last minute, but for `told`; for an edge that has just come.
    package func lastMinute(without told: [CallerHash: Int], most: Int, at time: Int64) -> [CallerHash: Int] {
        var counts: [(caller: CallerHash, count: Int)] = []
        for (caller, entry) in [previous, current].joined() {
            let count = Int(entry.own.total(at: time)) - told[caller, default: 0]
            if count > 0 { counts.append((caller, count)) }
        }
        if counts.count > most { counts = Array(counts.sorted { $0.count > $1.count }.prefix(most)) }
        return Dictionary(counts.map { ($0.caller, $0.count) }) { $0 + $1 }
    }

    /// Another edge has let through `number` more.
    package mutating func hear(of caller: CallerHash, _ number: Int, isLastMinute: Bool, at time: Int64) {
        guard number > 0 else { return }
        advance(to: time)
        let place = place(of: caller)
        var entry = take(place)
        if isLastMinute { entry.all.add(spread: number, at: time) } else { entry.all.add(number, at: time) }
        current[place] = entry
    }

    /// How many counters there are: never more than twice the capacity and the shared ones.
    package var counters: Int { current.count + previous.count }

    private func place(of caller: CallerHash) -> CallerHash {
        current.count < capacity || current[caller] != nil ? caller : CallerHash(caller.bits % Self.sharedCounters)
    }

    private func entry(of place: CallerHash) -> Entry? { current[place] ?? previous[place] }

    private mutating func take(_ place: CallerHash) -> Entry {
        if let entry = current[place] { return entry }
        return previous.removeValue(forKey: place) ?? Entry()
    }

    private mutating func tell(_ caller: CallerHash, _ part: Double) {
        // Beyond that many, only who is near his limit is worth remembering until the next report.
        guard toTell.count < (part < 0.25 ? 1 : 2) * 4 * EdgeCounts.most || toTell[caller] != nil else { return }
        toTell[caller] = part
    }

    private mutating func advance(to time: Int64) {
        let now = time / Self.minute
        guard now != index else { return }
        // Whoever has not come for a whole minute has nothing left that counts.
        previous = now == index + 1 ? current : [:]
        current = [:]
        index = now
    }

    /// Until the next report has turned what is in flight.
    private static let retry = 2

    private static func seconds(_ milliseconds: Int64) -> Int { Int(max(1, (milliseconds + 999) / 1000)) }
}

extension Int32 {
    /// One more, if there is one.
    fileprivate var incremented: Int32 { self == .max ? self : self + 1 }
}
