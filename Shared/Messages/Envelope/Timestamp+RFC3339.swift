extension Timestamp {
    /// `2026-11-30T08:15:00.250Z`, always in UTC and with three decimals.
    public var rfc3339: String {
        let (seconds, milliseconds) = floorDivide(millisecondsSince1970, 1000)
        let (days, second) = floorDivide(seconds, 86_400)
        let (year, month, day) = civil(daysSince1970: days)
        return String(unsafeUninitializedCapacity: 24) { text in
            var end = 0
            func write(_ number: Int64, _ first: Int64, _ separator: Unicode.Scalar) {
                var power = first
                while power > 0 {
                    text[end] = UInt8(truncatingIfNeeded: number / power % 10) + UInt8(ascii: "0")
                    power /= 10
                    end += 1
                }
                text[end] = UInt8(ascii: separator)
                end += 1
            }
            write(year, 1000, "-")
            write(month, 10, "-")
            write(day, 10, "T")
            write(second / 3600, 10, ":")
            write(second / 60 % 60, 10, ":")
            write(second % 60, 10, ".")
            write(milliseconds, 100, "Z")
            return end
        }
    }

    /// Reads RFC 3339 with or without fraction, with any offset; nil for anything else, and for what lies outside the
    /// years 0001 to 9999 in UTC. Digits beyond the millisecond are rounded; a leap second is the second after it.
    ///
    /// Not by Foundation, whose ISO 8601 style takes the 30th of February and overlooks what stands behind a time.
    public init?(rfc3339 text: String) {
        guard text.utf8.count <= 40 else { return nil }
        var contiguous = text
        if let time = contiguous.withUTF8({ Timestamp(ownForm: $0) }) {
            self = time
            return
        }
        var rest = Array(text.utf8)[...]
        guard let year = rest.number(digits: 4), rest.skip("-"), let month = rest.number(digits: 2), rest.skip("-"),
            let day = rest.number(digits: 2), rest.skip("T", or: "t"), let hour = rest.number(digits: 2),
            rest.skip(":"), let minute = rest.number(digits: 2), rest.skip(":"), let second = rest.number(digits: 2),
            year >= 1, (1...12).contains(month), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = dayNumber(year: year, month: month, day: day)
        // A day that its month does not have comes back as one of the next.
        guard civil(daysSince1970: days) == (year, month, day), let milliseconds = rest.fraction(),
            let offset = rest.offset(), rest.isEmpty
        else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        guard
            (Self.distantPast.millisecondsSince1970 / 1000)...(Self.distantFuture.millisecondsSince1970 / 1000)
                ~= seconds
        else { return nil }
        self.init(clamping: seconds * 1000 + milliseconds)
    }
}

extension Timestamp {
    /// Reads what ``rfc3339`` writes, and nothing else: nearly all that ever comes, each message has several.
    private init?(ownForm text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text[19] == UInt8(ascii: "."), text[23] == UInt8(ascii: "Z")
        else { return nil }
        /// More than any of the numbers may be, if one of the bytes is no digit.
        func number(_ start: Int, _ end: Int) -> Int64 {
            var number: Int64 = 0
            var index = start
            while index < end {
                let digit = text[index] &- UInt8(ascii: "0")
                number = number * 10 + (digit < 10 ? Int64(digit) : 100_000)
                index += 1
            }
            return number
        }
        let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10))
        let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19))
        let milliseconds = number(20, 23)
        // Leap seconds, and days that there are in some months only, go the long way.
        guard (1...9999).contains(year), (1...12).contains(month), (1...28).contains(day), hour < 24, minute < 60,
            second < 60, milliseconds < 1000
        else { return nil }
        let days = dayNumber(year: year, month: month, day: day)
        self.init(clamping: (days * 86_400 + hour * 3600 + minute * 60 + second) * 1000 + milliseconds)
    }
}

// Both ways between a date and its number of days in the proleptic Gregorian calendar: Howard Hinnant, "chrono-compatible
// low-level date algorithms".

private func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

private func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

extension ArraySlice<UInt8> {
    fileprivate mutating func skip(_ letter: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
        guard let first, first == UInt8(ascii: letter) || other.map({ first == UInt8(ascii: $0) }) == true else {
            return false
        }
        removeFirst()
        return true
    }

    private mutating func digit() -> Int64? {
        guard let first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        removeFirst()
        return Int64(first - UInt8(ascii: "0"))
    }

    /// Takes exactly so many digits, at most four.
    fileprivate mutating func number(digits: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// A fraction of a second in milliseconds, rounded; 0 if there is none.
    fileprivate mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard var milliseconds = digit() else { return nil }
        for _ in 0..<2 { milliseconds = milliseconds * 10 + (digit() ?? 0) }
        if let next = digit(), next >= 5 { milliseconds += 1 }
        while digit() != nil {}
        return milliseconds
    }

    /// `Z`, or an offset such as `+02:00`, in seconds.
    fileprivate mutating func offset() -> Int64? {
        if skip("Z", or: "z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
