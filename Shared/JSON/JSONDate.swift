internal import FoundationEssentials

/// RFC 3339 dates, as JSON carries them.
///
/// Foundation's ISO 8601 style reads `2025-02-30T00:00:00Z` as the 2nd of March and overlooks what stands behind
/// a date; this reads exactly the grammar, of which lower case, a leap second and a year before 1970 are not taken.
enum JSONDate {
    /// In UTC with milliseconds, rounded: `2026-01-02T03:04:05.678Z`.
    static func text(of date: Date) -> String? {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // The last millisecond of the year 9999; beyond it the year has five digits.
        guard milliseconds >= 0, milliseconds <= 253_402_300_799_999 else { return nil }
        let (seconds, fraction) = Int(milliseconds).quotientAndRemainder(dividingBy: 1000)
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = civil(daysSince1970: days)
        var text = ""
        text.append(year, digits: 4)
        text.append(month, digits: 2, after: "-")
        text.append(day, digits: 2, after: "-")
        text.append(second / 3600, digits: 2, after: "T")
        text.append(second / 60 % 60, digits: 2, after: ":")
        text.append(second % 60, digits: 2, after: ":")
        text.append(fraction, digits: 3, after: ".")
        return text + "Z"
    }

    /// With or without a fraction, with `Z` or an offset.
    static func date(from text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = rest.number(digits: 4), rest.skip("-"), let month = rest.number(digits: 2), rest.skip("-"),
            let day = rest.number(digits: 2), rest.skip("T"), let hour = rest.number(digits: 2), rest.skip(":"),
            let minute = rest.number(digits: 2), rest.skip(":"), let second = rest.number(digits: 2),
            year >= 1970, (1...12).contains(month), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = self.days(year: year, month: month, day: day)
        // A day that its month does not have comes back as one of the next.
        guard civil(daysSince1970: days) == (year, month, day) else { return nil }

        var fraction = 0.0
        if rest.skip(".") {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...9).contains(digits.count), let value = rest.number(digits: digits.count) else { return nil }
            fraction = Double(value) / Double((0..<digits.count).reduce(1) { power, _ in power * 10 })
        }
        guard let offset = rest.offset(), rest.isEmpty else { return nil }
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(whole) + fraction)
    }

    // Both ways between a date and its number of days: Howard Hinnant, "chrono-compatible low-level date
    // algorithms", for years from 1970 on.

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return y * 365 + y / 4 - y / 100 + y / 400 + dayOfYear - 719_468
    }

    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension String {
    fileprivate mutating func append(_ number: Int, digits: Int, after separator: String = "") {
        let text = String(number)
        self += separator + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func skip(_ letter: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: letter) else { return false }
        removeFirst()
        return true
    }

    /// Takes exactly so many digits; at most 9, so that nothing overflows.
    fileprivate mutating func number(digits: Int) -> Int? {
        var number = 0
        guard count >= digits else { return nil }
        for _ in 0..<digits {
            guard let digit = first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            removeFirst()
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// `Z`, or an offset such as `+02:00`, in seconds.
    fileprivate mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let sign: Int
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
