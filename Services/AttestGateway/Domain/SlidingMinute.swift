/// How often something has happened within the last sixty seconds, in seven slots of ten.
///
/// The oldest slot counts for the part of it that still lies within the minute, as if what it holds had come evenly.
package struct SlidingMinute: Sendable {
    private static let slots: Int64 = 7
    /// Milliseconds.
    private static let slot: Int64 = 10_000
    /// The clock begins in the slot of this number: others may tell of the minute before.
    private static let before: Int64 = 6

    /// The number of the newest slot that holds anything; small, because there are many of these.
    private var newest = Int32(Self.before)
    private var counts = InlineArray<7, Int32>(repeating: 0)

    package init() {}

    /// How often, by now; what is in the oldest slot counts in part.
    ///
    /// - Parameter time: milliseconds of a clock that never goes back, from 0.
    package func total(at time: Int64) -> Double {
        let now = Self.slot(of: time)
        var total = Double(count(of: now - 6)) * (1 - Self.part(of: time))
        for number in (now - 5)...now { total += Double(count(of: number)) }
        return total
    }

    /// Milliseconds, at least 1, from `time` until the total has sunk to `most`, if nothing comes meanwhile.
    package func wait(until most: Double, at time: Int64) -> Int64 {
        let now = Self.slot(of: time)
        var rest = 0.0
        for number in (now - 6)...now { rest += Double(count(of: number)) }
        for number in (now - 6)...now {
            let leaving = Double(count(of: number))
            rest -= leaving
            guard rest <= most, leaving > 0 else { continue }
            // The slot leaves the minute within the ten seconds that begin sixty after it began.
            let part = min(1, max(0, 1 - (most - rest) / leaving))
            let end = (number + 6 - Self.before) * Self.slot + Int64((part * Double(Self.slot)).rounded(.up))
            return max(1, end - time)
        }
        return 1
    }

    /// Counts `number` times now.
    package mutating func add(_ number: Int, at time: Int64) {
        let now = Self.slot(of: time)
        advance(to: now)
        add(number, to: now)
    }

    /// Counts `number` times as if they had come evenly over the last minute.
    package mutating func add(spread number: Int, at time: Int64) {
        let now = Self.slot(of: time)
        advance(to: now)
        for back in 0..<6 { add(number / 6 + (back < number % 6 ? 1 : 0), to: now - Int64(back)) }
    }

    private mutating func add(_ number: Int, to slot: Int64) {
        let place = Int(slot % Self.slots)
        let sum = counts[place].addingReportingOverflow(Int32(clamping: number))
        counts[place] = sum.overflow ? .max : sum.partialValue
    }

    private mutating func advance(to slot: Int64) {
        let last = Int64(newest)
        guard slot > last else { return }
        for number in max(last + 1, slot - 6)...slot { counts[Int(number % Self.slots)] = 0 }
        newest = Int32(clamping: slot)
    }

    private func count(of slot: Int64) -> Int32 {
        slot <= Int64(newest) && slot > Int64(newest) - Self.slots ? counts[Int(slot % Self.slots)] : 0
    }

    private static func slot(of time: Int64) -> Int64 { time / slot + before }

    private static func part(of time: Int64) -> Double { Double(time % slot) / Double(slot) }
}
