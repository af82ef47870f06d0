import Foundation
import Messages
import Testing
import Tollgate

@Suite("Reports about dead letters")
struct DeadReportTests {
    @Test("A ramp begins with at least one letter and ends with all", arguments: [1, 7, 100, 12_345])
    func ramp(count: Int) throws {
        let ramp = DeadRamp(stages: try #require(DeadRamp.stages("1,2,5,20,100")), stopAt: 0.1)

        let targets = ramp.stages.indices.map { ramp.target(of: $0, count: count) }

        #expect(targets.first ?? 0 >= 1 && targets.last == count && targets == targets.sorted())
    }

    @Test("A ramp that does not end with everything goes on to it")
    func openRamp() { #expect(DeadRamp(stages: [1, 10], stopAt: 0.1).stages == [1, 10, 100]) }

    @Test("A ramp says itself in the words that make it", arguments: ["0%", "7%", "10%", "12.5%", "0.01%", "100%"])
    func words(share: String) throws {
        let ramp = DeadRamp(
            stages: try #require(DeadRamp.stages("1,10")), stopAt: try #require(DeadRamp.share(share)))

        #expect(ramp.words == "--ramp 1,10,100 --stop-at \(share)")
    }

    @Test("What is no ramp is not taken for one", arguments: ["", "0,100", "5,2", "1,,2", "1,101", "a", "2,2"])
    func noRamp(text: String) { #expect(DeadRamp.stages(text) == nil) }

    @Test(
        "A share in which more fail than allowed stops the replay",
        arguments: [(0, 10, false), (1, 10, false), (2, 10, true), (0, 0, false), (1, 1, true)])
    func stop(failed: Int, ended: Int, stops: Bool) {
        #expect(DeadRamp(stages: [10, 100], stopAt: 0.1).stops(failed: failed, of: ended) == stops)
        #expect(!DeadRamp.none.stops(failed: failed, of: ended))
    }

    @Test("The counts of a report add up to the selection, whatever became of the letters")
    func addsUp() {
        let outcomes: [ReplayOutcome] = [
            .applied, .nothingToDo, .overtaken, .refused, .failed, .retrying, .forwarded, .sent, .unsendable, .guarded,
            .gone, .frozen, .sending, .discarded, .restored,
        ]
        let counts = outcomes.enumerated().flatMap { index, outcome in
            (0..<2).map { _ in
                OutcomeCount(outcome: outcome, reason: nil, count: index + 1, example: index, text: nil)
            }
        }

        let report = DeadReplayReport(run: MessageID(rawValue: "r"), outcomes: counts)

        let numbers = report.text.split(separator: "\n").compactMap { Int($0.split(separator: " ")[0]) }
        #expect(numbers.count == outcomes.count + 1 && numbers.dropLast().reduce(0, +) == numbers.last)
        #expect(report.selected == 240 && !report.isGood)
        #expect(report.failing == 2 * (5 + 6 + 9) && report.remaining == 2 * (12 + 13))
    }

    @Test("A pace is not exceeded, and what a pause has cost is not made up for")
    func pace() {
        let start = ContinuousClock.now
        var pace = DeadPace(rate: 20, from: start)
        #expect(pace.portion(of: 5000) == 5 && DeadPace(rate: 1, from: start).portion(of: 5000) == 1)

        #expect(pace.next(after: 5, at: start) == start + .milliseconds(250))
        #expect(pace.next(after: 5, at: start + .milliseconds(260)) == start + .milliseconds(500))
        // The broker took nothing for a minute.
        #expect(pace.next(after: 5, at: start + .seconds(60)) == start + .seconds(60))
        #expect(pace.next(after: 5, at: start + .seconds(60)) == start + .milliseconds(60_250))
    }

    @Test(
        "The live view fits 80 columns, whatever strangers call their kinds, and shows rates of two looks",
        arguments: ["k", "\u{5BBD}", "k\u{301}\u{302}", "\u{1F4A9}", "\u{915}\u{94D}"])
    func view(letter: String) {
        let began = Timestamp(clamping: 1_800_000_000_000)
        let services = [ServiceName.attestGateway, .receiptValidator, .entitlementResolver]
        func look(_ seconds: Int64, died: Int) -> DeadView {
            var value = DeadGroupsGet.Value(partitions: 1)
            value.dead = 123_456
            value.discarded = 99_999
            value.replaying = 10_000
            value.retrying = 22_222
            value.oldest = began - .seconds(400_000)
            value.everDied = died
            value.everEnded = died * 1000
            var rows = services.map { DeadView.Row($0) }
            for index in rows.indices { rows[index].add(value) }
            rows[1].isSilent = true
            let group = DeadGroupsGet.Group(
                reason: String(repeating: "reason\u{1B}[2J", count: 20), step: "apply",
                kind: String(repeating: letter, count: 63),
                version: "1", count: 1_234_567, firstSeen: began, lastSeen: began, example: 1, exampleText: "")
            return DeadView(at: began + .seconds(seconds), rows: rows, groups: [group])
        }

        let text = look(10, died: 150).text(since: look(0, died: 100))

        #expect(text.split(separator: "\n").allSatisfy { Self.columns($0) <= 80 }, "\(text)")
        #expect(!text.unicodeScalars.contains("\u{1B}"))
        #expect(text.contains(" 5.0 ") && text.contains("5000") && text.contains("no answer"))
        #expect(!look(0, died: 1).text(since: nil).contains("5.0"))
    }

    /// What these take in a terminal (wcwidth): nothing for what stands on top of another, two for what is wide.
    private static func columns(_ line: some StringProtocol) -> Int {
        line.unicodeScalars.reduce(0) { sum, scalar in
            sum + (["\u{301}", "\u{302}", "\u{94D}"].contains(scalar) ? 0 : scalar.value > 0x2FFF ? 2 : 1)
        }
    }
}
