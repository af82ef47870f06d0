internal import Messages

/// How many different users an app names within a minute, here and at the other edges: a limit, kept in bounded memory.
///
/// The minute slides by halves: what was named in the clock's last whole minute counts for the part of it that still
/// lies within sixty seconds. Who was named in this minute or the last is no new user. As in ``RateTable``, what the
/// other edges may not have heard of is bounded by this edge's share of what is left.
package struct DistinctUsers: Sendable {
    private struct Minute {
        var users: Set<CallerHash> = []
        /// How many of them were there in the minute before.
        var returning = 0
        /// How many of them this edge was the first to name.
        var own = 0
    }

    /// Users that are remembered over all apps, for each of two minutes.
    private let capacity: Int
    private static let minute: Int64 = 60_000

    private var index: Int64 = 0
    private var remembered = 0
    private var current: [CallerHash: Minute] = [:]
    private var previous: [CallerHash: Set<CallerHash>] = [:]
    private var turn: Int32 = 0
    /// Named here, and the others may not have heard of it.
    private var inFlight: [CallerHash: InFlight] = [:]
    /// Named here, and not told to the others yet: the oldest first.
    private var untold: [(app: CallerHash, user: CallerHash)] = []

    package init(capacity: Int = 1_000_000) { self.capacity = capacity }

    /// Whole seconds, at least 1, until `app` may name a user who is new; nil: this one is named and remembered.
    ///
    /// - Parameters:
    ///   - app: one of the registry's, so that callers cannot make up any number of them.
    ///   - limit: a minute, at least 1.
    ///   - edges: that share it, this one included.
    ///   - time: milliseconds of a clock that never goes back, from 0.
    package mutating func name(
        _ user: CallerHash, of app: CallerHash, limit: Int, edges: Int, at time: Int64
    ) -> Int? {
        advance(to: time)
        let minute = current[app]
        guard minute?.users.contains(user) != true else { return nil }
        var flight = inFlight[app] ?? InFlight()
        flight.turn(to: turn)
        let isReturning = previous[app]?.contains(user) == true
        if !isReturning {
            let elapsed = Double(time - index * Self.minute) / Double(Self.minute)
            let fading = Double((previous[app]?.count ?? 0) - (minute?.returning ?? 0)) * (1 - elapsed)
            let used = fading + Double(minute?.users.count ?? 0)
            guard used + 1 <= Double(limit), remembered < capacity else {
                return max(1, Int(((1 - elapsed) * 60).rounded(.up)))
            }
            guard flight.hasRoom(within: limit, total: used, own: Double(minute?.own ?? 0), edges: edges) else {
                return 2
            }
            flight.add()
            inFlight[app] = flight
        }
        guard remembered < capacity else { return nil }
        remember(user, of: app, isReturning: isReturning, isOwn: true)
        if edges > 1, untold.count < 4 * EdgeCounts.most { untold.append((app, user)) }
        return nil
    }

    /// As ``RateTable/takeTurn()``.
    package mutating func takeTurn() { turn &+= 1 }

    /// Users whom this edge was the first to name in this minute, up to `most`, and has not told of before.
    package mutating func takeReport(most: Int) -> [CallerHash: [CallerHash]] {
        let told = untold.prefix(most)
        untold.removeFirst(told.count)
        return Dictionary(grouping: told, by: \.app).mapValues { $0.map(\.user) }
    }

    /// Up to `most` users of this minute and the last, but for `told`; for an edge that has just come.
    package func lastMinute(without told: [CallerHash: [CallerHash]], most: Int) -> [CallerHash: [CallerHash]] {
        var rest = most
        var users: [CallerHash: [CallerHash]] = [:]
        for (app, known) in [current.mapValues(\.users), previous].joined() where rest > 0 {
            let some = known.subtracting(told[app] ?? []).prefix(rest)
            users[app, default: []] += some
            rest -= some.count
        }
        return users
    }

    /// Another edge has named `users`.
    package mutating func hear(_ users: [CallerHash], of app: CallerHash, isLastMinute: Bool, at time: Int64) {
        advance(to: time)
        for user in users where remembered < capacity && current[app]?.users.contains(user) != true {
            let isKnown = previous[app]?.contains(user) == true
            if isLastMinute {
                // When they were named within it is not known: they fade from here on.
                if !isKnown { previous[app, default: []].insert(user) }
                remembered += 1
            } else {
                remember(user, of: app, isReturning: isKnown, isOwn: false)
            }
        }
    }

    private mutating func remember(_ user: CallerHash, of app: CallerHash, isReturning: Bool, isOwn: Bool) {
        current[app, default: Minute()].users.insert(user)
        if isReturning { current[app]?.returning += 1 }
        if isOwn { current[app]?.own += 1 }
        remembered += 1
    }

    private mutating func advance(to time: Int64) {
        let now = time / Self.minute
        guard now != index else { return }
        previous = now == index + 1 ? current.mapValues(\.users) : [:]
        current = [:]
        inFlight = inFlight.filter { $0.value.turn &+ 1 >= turn }
        remembered = 0
        index = now
    }
}
