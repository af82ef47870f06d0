/// Numbers as people read them, with so many places.
enum DecimalText {
    /// - Parameter rule: outwards for the ends of an interval, so that what is shown never claims more than it does.
    static func text(
        _ number: Double, places: Int, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> String {
        let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
        let scaled = (number * Double(scale)).rounded(rule)
        guard scaled.isFinite, abs(scaled) < 9e18 else { return "\(number)" }
        let whole = Int64(scaled)
        let (units, rest) = whole.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        let sign = whole < 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(units)" }
        let digits = String(rest)
        return "\(sign)\(units)." + String(repeating: "0", count: places - digits.count) + digits
    }

    /// Thousandths of a unit.
    static func money(_ milliunits: Int64) -> String { text(Double(milliunits) / 1000, places: 2) }
}

/// Shares and their differences, in percentage points.
enum Points {
    /// A share.
    static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "-" : DecimalText.text(100 * Double(part) / Double(whole), places: 2) + " %"
    }

    /// With its sign.
    static func signed(_ difference: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> String {
        let text = DecimalText.text(100 * difference, places: 2, rule)
        return difference > 0 ? "+\(text)" : text
    }

    /// From the least to the most, rounded so that it claims no more.
    static func range(_ least: Double, _ most: Double) -> String {
        "\(DecimalText.text(100 * least, places: 2, .down)) to \(DecimalText.text(100 * most, places: 2, .up))"
    }
}

/// Spans of time, in the greatest unit that fits.
enum SpanText {
    static func of(seconds: Int) -> String {
        let (unit, name) =
            [(86_400, "day"), (3_600, "hour"), (60, "minute")].first { seconds != 0 && seconds.isMultiple(of: $0.0) }
            ?? (1, "second")
        return "\(seconds / unit) \(name)\(seconds == unit ? "" : "s")"
    }
}
