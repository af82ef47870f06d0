/// How often each of many keys does something: a limit a minute, kept in bounded memory.
///
/// The minute slides: what a key did in the clock's last whole minute counts for the part of it that still lies within
/// sixty seconds. Keys are hashes, seeded per process, so that nobody can aim at another's counter.
package struct RateTable: Sendable {
    package let limit: Int
    /// Keys a minute that are told apart; those beyond share ``sharedCounters`` counters.
    private let capacity: Int
    private static let sharedCounters: UInt64 = 1024
    private static let minute: Int64 = 60_000

    /// The number of the minute that `current` counts.
    private var index: Int64 = 0
    private var current: [UInt64: Int] = [:]
    private var previous: [UInt64: Int] = [:]

    package init(limit: Int, capacity: Int = 100_000) {
        self.limit = limit
        self.capacity = capacity
    }

    /// Whole seconds, at least 1, until `key` may do it again; nil: now.
    ///
    /// - Parameter time: milliseconds of a clock that never goes back.
    package mutating func wait(for key: UInt64, at time: Int64) -> Int? {
        advance(to: time)
        let now = Double(current[counter(of: key, in: current)] ?? 0)
        let before = Double(previous[counter(of: key, in: previous)] ?? 0)
        let elapsed = Double(time - index * Self.minute) / Double(Self.minute)
        // The hair's breadth is for what doubles lose on the way.
        guard before * (1 - elapsed) + now + 1 > Double(limit) + 1e-6 else { return nil }
        let allowed = Double(limit - 1)
        // Either this minute still has room once the last one has faded enough, or the next one has, once this has.
        let minutes =
            now <= allowed ? 1 - (allowed - now) / before - elapsed : 1 - elapsed + (1 - allowed / now)
        return max(1, Int((minutes * 60).rounded(.up)))
    }

    /// Counts one time.
    package mutating func count(_ key: UInt64, at time: Int64) {
        advance(to: time)
        current[counter(of: key, in: current), default: 0] += 1
    }

    /// How many counters there are: never more than twice the capacity and the shared ones.
    package var counters: Int { current.count + previous.count }

    private func counter(of key: UInt64, in counts: [UInt64: Int]) -> UInt64 {
        counts.count < capacity || counts[key] != nil ? key : key % Self.sharedCounters
    }

    private mutating func advance(to time: Int64) {
        let now = time / Self.minute
        guard now != index else { return }
        previous = now == index + 1 ? current : [:]
        current = [:]
        index = now
    }
}
