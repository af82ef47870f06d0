public import FoundationEssentials

/// A point in time to the millisecond, in UTC; RFC 3339 text in messages, an integer in stores.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, within the years 0001 to 9999.
    public let millisecondsSince1970: Int64

    /// The greatest time that can be written: 9999-12-31T23:59:59.999Z.
    public static let distantFuture = Timestamp(clamping: Int64.max)
    /// The least time that can be written: 0001-01-01T00:00:00.000Z.
    public static let distantPast = Timestamp(clamping: Int64.min)

    /// That many milliseconds after 1970, or the nearest time that can be written.
    public init(clamping milliseconds: Int64) {
        millisecondsSince1970 = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    }

    /// `date`, rounded to the millisecond; a date that is no number is the least time.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(
            clamping: milliseconds.isNaN
                ? .min : milliseconds >= 9e18 ? .max : milliseconds <= -9e18 ? .min : Int64(milliseconds))
    }

    /// The present, by the system's clock.
    public static var now: Timestamp { Timestamp(Date.now) }

    /// As a date.
    public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

    /// That much later.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = time.millisecondsSince1970.addingReportingOverflow(duration.wholeMilliseconds)
        return Timestamp(clamping: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// That much earlier.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp { time + (.zero - duration) }

    /// How long after `earlier` this time is.
    public func since(_ earlier: Timestamp) -> Duration {
        .milliseconds(millisecondsSince1970 - earlier.millisecondsSince1970)
    }

    /// Earlier before later.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}

extension Timestamp: Codable {
    /// From RFC 3339 text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = Timestamp(rfc3339: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 time")
        }
        self = time
    }

    /// As RFC 3339 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}

extension Duration {
    /// Whole milliseconds, what is left over is cut off; clamped to what an `Int64` holds.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflowOfSum) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || overflowOfSum ? (seconds < 0 ? .min : .max) : sum
    }
}
