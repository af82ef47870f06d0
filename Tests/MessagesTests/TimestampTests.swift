import Foundation
import Messages
import TestSupport
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "RFC 3339 is read with or without fraction and offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-30T08:15:00Z", 1_796_026_500_000),
            ("2026-11-30T08:15:00.25Z", 1_796_026_500_250), ("2026-11-30T08:15:00.250Z", 1_796_026_500_250),
            ("2026-11-30T10:15:00.250+02:00", 1_796_026_500_250), ("2026-11-30T02:30:00.250-05:45", 1_796_026_500_250),
            ("2026-11-30t08:15:00z", 1_796_026_500_000), ("1969-12-31T23:59:59.999Z", -1),
            ("1970-01-01T00:00:00-00:00", 0), ("1970-01-01T23:59:00+23:59", 0),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2024-02-29T23:59:59Z", 1_709_251_199_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("1582-10-10T00:00:00Z", -12_219_724_800_000), ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func reading(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "Digits beyond the millisecond are rounded",
        arguments: [
            ("0.0004", 0), ("0.0005", 1), ("0.00049999999999", 0), ("0.1234567890", 123), ("0.1235", 124),
            ("0.9994", 999), ("0.9995", 1000), ("0.99999999999999", 1000),
        ] as [(String, Int64)])
    func rounding(fraction: String, milliseconds: Int64) {
        let text = "1970-01-01T00:00:0\(fraction)Z"

        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "What people write is RFC 3339 or milliseconds since 1970, and is not bent where no year has it",
        arguments: [
            ("2026-11-30T10:15:00+02:00", 1_796_026_500_000), ("1796026500000", 1_796_026_500_000), ("0", 0),
            ("-1", -1),
            ("253402300799999", 253_402_300_799_999), ("253402300800000", nil),
            ("-62135596800000", -62_135_596_800_000), ("-62135596800001", nil), ("9223372036854775808", nil),
            ("1796026500.5", nil), ("yesterday", nil), ("", nil),
        ] as [(String, Int64?)])
    func written(text: String, milliseconds: Int64?) {
        #expect(Timestamp(written: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test("Rounding does not leave the last year that can be written")
    func roundingAtTheEnd() {
        #expect(Timestamp(rfc3339: "9999-12-31T23:59:59.9999Z") == .distantFuture)
    }

    @Test(
        "What is no time is none",
        arguments: [
            "", "Z", "2026", "2026-11-30", "2026-11-30T08:15Z", "2026-11-30T08:15:00", "2026-11-30 08:15:00Z",
            "2026-11-30T08:15:00.Z", "2026-11-30T08:15:00,25Z", "2026-11-30T08:15:00Z ", " 2026-11-30T08:15:00Z",
            "2026-11-30T08:15:00Zgarbage", "2026-11-30T08:15:00Z\u{0}", "2026-11-30T08:15:00+0200",
            "2026-11-30T08:15:00+02", "2026-11-30T08:15:00+2:00", "2026-11-30T08:15:00+24:00",
            "2026-11-30T08:15:00+02:60", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-32T00:00:00Z", "2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2100-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
            "10000-01-01T00:00:00Z", "-2026-01-01T00:00:00Z", "+2026-01-01T00:00:00Z", "202a-01-01T00:00:00Z",
            "２０２６-11-30T08:15:00Z", "2026-11-30T08:15:00.１Z", "2026-W48-1T08:15:00Z", "20261130T081500Z",
            "1796026500", "2026-11-30T08:15:00.000000000000000000000000Z", String(repeating: "9", count: 100_000),
            "2026-11-30T08:15:00." + String(repeating: "0", count: 100_000) + "Z", "\u{FEFF}2026-11-30T08:15:00Z",
        ])
    func noTime(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("Any time is written with three decimals in UTC, and read back", arguments: [UInt64(1), 2, 3])
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let range = Timestamp.distantPast.millisecondsSince1970...Timestamp.distantFuture.millisecondsSince1970
        for _ in 0..<2000 {
            let time = Timestamp(clamping: .random(in: range, using: &random))

            let text = time.rfc3339

            #expect(text.utf8.count == 24 && text.hasSuffix("Z"), "seed \(seed): \(text)")
            #expect(Timestamp(rfc3339: text) == time, "seed \(seed): \(text)")
        }
    }

    @Test("It agrees with Foundation on every day of a few centuries")
    func foundation() throws {
        for day in stride(from: -80_000, through: 80_000, by: 7) {
            let time = Timestamp(clamping: Int64(day) * 86_400_000 + 45_296_000)

            #expect(time.date.formatted(.iso8601) == time.rfc3339.replacing(".000", with: ""))
        }
    }

    @Test("Random bytes near a time neither trap nor pass for another time", arguments: [UInt64(11), 12])
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("0123456789-:.TZtz+ e\u{0}é".unicodeScalars)
        for _ in 0..<5000 {
            var scalars = Array("2026-11-30T08:15:00.250+02:00".unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                scalars[Int.random(in: scalars.indices, using: &random)] = alphabet.randomElement(using: &random) ?? "0"
            }
            let text = String(String.UnicodeScalarView(scalars))
            guard let time = Timestamp(rfc3339: text) else { continue }
            #expect(Timestamp(rfc3339: time.rfc3339) == time, "seed \(seed): \(text)")
        }
    }

    @Test("A date is rounded to the millisecond; what is no number is the least time")
    func dates() {
        #expect(Timestamp(Date(timeIntervalSince1970: 0.0006)).millisecondsSince1970 == 1)
        #expect(Timestamp(Date(timeIntervalSince1970: -0.0006)).millisecondsSince1970 == -1)
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)) == .distantPast)
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) == .distantFuture)
        #expect(Timestamp(Date(timeIntervalSince1970: -.infinity)) == .distantPast)
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) == .distantFuture)
    }

    @Test("Adding and subtracting stops at the ends of what can be written")
    func arithmetic() {
        let time = Timestamp(clamping: 1_000)

        #expect(time + .milliseconds(1) == Timestamp(clamping: 1_001))
        #expect(time - .seconds(2) == Timestamp(clamping: -1_000))
        #expect(time + .seconds(Int64.max) == .distantFuture)
        #expect(time - .seconds(Int64.max) == .distantPast)
        #expect(time + .seconds(Int64.min) == .distantPast)
        #expect(Timestamp.distantFuture.since(.distantPast) == .milliseconds(315_537_897_599_999))
        #expect(Timestamp(clamping: .max) == .distantFuture)
        #expect(Timestamp(clamping: .min) == .distantPast)
    }

    @Test(
        "Whole milliseconds of a duration stop at the ends of a number",
        arguments: [
            (.milliseconds(1500), 1500), (.microseconds(1999), 1), (.microseconds(-1999), -1),
            (.seconds(9_223_372_036_854_775), 9_223_372_036_854_775_000),
            (.seconds(9_223_372_036_854_775) + .milliseconds(999), .max),
            (.seconds(-9_223_372_036_854_775) - .milliseconds(999), .min),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)])
    func wholeMilliseconds(duration: Duration, expected: Int64) {
        #expect(duration.wholeMilliseconds == expected)
    }

    @Test(
        "In JSON it is its text, and nothing else is taken for one",
        arguments: ["1796026500", "null", "\"\"", "\"2026-02-30T00:00:00Z\"", "{}"])
    func json(text: String) throws {
        #expect(throws: DecodingError.self) { try MessageJSON.decode([Timestamp].self, from: Array("[\(text)]".utf8)) }
        #expect(try MessageJSON.encode([Timestamp(clamping: 0)]) == Array("[\"1970-01-01T00:00:00.000Z\"]".utf8))
    }
}
