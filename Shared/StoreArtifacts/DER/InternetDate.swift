internal import FoundationEssentials

/// Dates as receipts have them (Internet Date/Time Format, RFC 3339): `2024-08-06T12:00:00Z`. Xcode writes offsets as
/// `+0100`; a fraction of a second has not been seen, but would be right.
///
/// By hand, because a receipt has hundreds of them and formatters take ten and more times as long.
enum InternetDate {
    /// The date; `nil` for anything that is none, the empty text included.
    static func date(_ text: ArraySlice<UInt8>) -> Date? {
        var digits = Digits(text)
        guard let year = digits.number(4), digits.take("-"), let month = digits.number(2), digits.take("-"),
            let day = digits.number(2), digits.take("T"), let hour = digits.number(2), digits.take(":"),
            let minute = digits.number(2), digits.take(":"), let second = digits.number(2),
            let fraction = digits.fraction(), let offset = digits.offset(), digits.isAtEnd,
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        default: 31
        }
    }

    /// Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, `days_from_civil`, for years from 0.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years that begin in March: the leap day is then their last.
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

/// Takes a text apart from its start.
private struct Digits {
    private var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { rest = text }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Exactly so many digits.
    mutating func number(_ count: Int) -> Int? {
        guard rest.count >= count else { return nil }
        var number = 0
        for byte in rest.prefix(count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        rest.removeFirst(count)
        return number
    }

    /// `.` and one to nine digits, or nothing at all.
    mutating func fraction() -> Double? {
        guard take(".") else { return 0 }
        var (value, scale, count) = (0.0, 0.1, 0)
        while count < 9, let digit = number(1) {
            value += Double(digit) * scale
            scale /= 10
            count += 1
        }
        return count > 0 ? value : nil
    }

    /// `Z`, `+hh:mm` or `+hhmm`, in seconds.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard isWest ? take("-") : take("+"), let hours = number(2) else { return nil }
        _ = take(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
