/// How many different users an app names within a minute: a limit, kept in bounded memory.
///
/// As in ``RateTable`` the minute slides. Who was named in this minute or the last is no new user.
package struct DistinctUsers: Sendable {
    private struct Minute {
        var users: Set<UInt64> = []
        /// How many of them were there in the minute before.
        var returning = 0
    }

    package let limit: Int
    /// Users that are remembered over all apps, for each of two minutes.
    private let capacity: Int
    private static let minute: Int64 = 60_000

    private var index: Int64 = 0
    private var remembered = 0
    private var current: [UInt64: Minute] = [:]
    private var previous: [UInt64: Set<UInt64>] = [:]

    package init(limit: Int, capacity: Int = 1_000_000) {
        self.limit = limit
        self.capacity = capacity
    }

    /// Whole seconds, at least 1, until `app` may name a user who is new; nil: this one is named and remembered.
    ///
    /// - Parameters:
    ///   - app: one of the registry's, so that callers cannot make up any number of them.
    ///   - time: milliseconds of a clock that never goes back.
    package mutating func name(_ user: UInt64, of app: UInt64, at time: Int64) -> Int? {
        advance(to: time)
        var minute = current[app] ?? Minute()
        guard !minute.users.contains(user) else { return nil }
        let before = previous[app]
        let isReturning = before?.contains(user) == true
        let elapsed = Double(time - index * Self.minute) / Double(Self.minute)
        let fading = Double((before?.count ?? 0) - minute.returning) * (1 - elapsed)
        let isFull = fading + Double(minute.users.count) + 1 > Double(limit) && !isReturning
        guard !isFull, remembered < capacity else { return max(1, Int(((1 - elapsed) * 60).rounded(.up))) }
        // Emptied first, so that the set is changed in place and not copied.
        current[app] = nil
        minute.users.insert(user)
        if isReturning { minute.returning += 1 }
        current[app] = minute
        remembered += 1
        return nil
    }

    private mutating func advance(to time: Int64) {
        let now = time / Self.minute
        guard now != index else { return }
        previous = now == index + 1 ? current.mapValues(\.users) : [:]
        current = [:]
        remembered = 0
        index = now
    }
}
