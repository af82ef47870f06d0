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
        /// Let through here, and the others may not have heard of it.
        var inFlight = InFlight()
        /// Not told yet.
        var untold: Int32 = 0
    }

    /// Callers in a minute that are told apart; those beyond share ``sharedCounters`` counters.
    private let capacity: Int
    private static let sharedCounters: UInt64 = 1024
    private static let minute: Int64 = 60_000

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
        entry.inFlight.turn(to: turn)
        let total = entry.all.total(at: time)
        // The hair's breadth is for what doubles lose on the way.
        guard total + 1 <= Double(limit) + 1e-6 else {
            return Self.seconds(entry.all.wait(until: Double(limit - 1), at: time))
        }
        let hasRoom = entry.inFlight.hasRoom(
            within: limit, total: total, own: entry.own.total(at: time), edges: edges)
        return hasRoom ? nil : Self.retry
    }

    /// Counts one time that this edge has let through.
    package mutating func count(_ caller: CallerHash, limit: Int, edges: Int, at time: Int64) {
        advance(to: time)
        let place = place(of: caller)
        var entry = take(place)
        entry.inFlight.turn(to: turn)
        entry.inFlight.add()
        entry.all.add(1, at: time)
        entry.own.add(1, at: time)
        if edges > 1 {
            entry.untold = entry.untold.incremented
            let own = entry.own.total(at: time)
            // All that the edges keep to themselves together is a sixteenth of the limit.
            if own * 16 * Double(edges) >= Double(limit) { tell(place, own / Double(limit)) }
        }
        current[place] = entry
    }

    /// What was in flight in the turn before has arrived by now.
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
