/// How often each duration was seen, to within one percent, in memory that does not grow: buckets whose width grows with
/// their value (as in HdrHistogram, hdrhistogram.org).
package struct LatencyHistogram: Sendable {
    /// Buckets for each doubling.
    private static let width = 128
    /// 2^40 µs are twelve days; what is longer counts as that.
    private static let mostBits = 40

    private var counts = [UInt32](repeating: 0, count: width + (mostBits - 7) * width)
    /// How many durations were seen.
    package private(set) var count = 0
    /// The longest, exactly.
    package private(set) var greatest = Duration.zero

    /// Nothing seen.
    package init() {}

    /// Counts one duration; what is shorter than nothing counts as nothing.
    package mutating func record(_ duration: Duration) {
        let duration = max(.zero, duration)
        let (seconds, attoseconds) = duration.components
        let most = Int64(1) << Int64(Self.mostBits) - 1
        let microseconds = seconds > most / 1_000_000 ? most : seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let place = Self.bucket(of: Int(min(microseconds, most)))
        if counts[place] < .max { counts[place] += 1 }
        count += 1
        greatest = max(greatest, duration)
    }

    /// A duration that the share `part` of all do not exceed (0.99: the 99th percentile), at most one percent too long;
    /// nil: nothing was seen.
    package func percentile(_ part: Double) -> Duration? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((Double(count) * min(max(part, 0), 1)).rounded(.up)))
        var sum = 0
        for (place, count) in counts.enumerated() where count > 0 {
            sum += Int(count)
            if sum >= wanted { return min(.microseconds(Self.end(of: place)), greatest) }
        }
        return greatest
    }

    /// Below 128 each microsecond has its own; above, each doubling has 128.
    private static func bucket(of value: Int) -> Int {
        guard value >= width else { return max(0, value) }
        let bits = Int.bitWidth - value.leadingZeroBitCount
        let shift = bits - 8
        return width + shift * width + (value >> shift) - width
    }

    /// The greatest value of a bucket.
    private static func end(of place: Int) -> Int {
        guard place >= width else { return place }
        let shift = (place - width) / width
        let value = (place - width) % width + width
        return ((value + 1) << shift) - 1
    }
}
