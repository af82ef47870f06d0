import Messages
import Messaging
import Testing

@Suite("Retry ladder")
struct RetryLadderTests {
    let ladder = RetryLadder()
    let first = Timestamp(clamping: 1_796_026_500_000)

    @Test("A message takes each rung once, then the last one again and again")
    func rungs() {
        let rungs = (0..<7).map { ladder.rung(attempt: $0, firstFailure: first, now: first)?.text }

        #expect(rungs == ["1s", "10s", "1m", "10m", "10m", "10m", "10m"])
    }

    @Test(
        "It is given up when its time since the first failure is over, to the millisecond",
        arguments: [(0, true), (86_399_999, true), (86_400_000, false), (86_400_001, false)])
    func givingUp(milliseconds: Int64, waits: Bool) {
        let now = first + .milliseconds(milliseconds)

        for attempt in [0, 3, 1000] {
            #expect((ladder.rung(attempt: attempt, firstFailure: first, now: now) != nil) == waits)
        }
    }

    @Test(
        "Attempts that make no sense take the first rung or the last",
        arguments: [(Int.min, "1s"), (-1, "1s"), (Int.max, "10m")])
    func senseless(attempt: Int, rung: String) {
        #expect(ladder.rung(attempt: attempt, firstFailure: first, now: first)?.text == rung)
    }

    @Test(
        "A first failure at the ends of time does not trap",
        arguments: [(Timestamp.distantPast, false), (.distantFuture, true)])
    func extremes(firstFailure: Timestamp, waits: Bool) {
        #expect((ladder.rung(attempt: 0, firstFailure: firstFailure, now: first) != nil) == waits)
    }

    @Test("A ladder of one rung, which gives up at once, is one too")
    func small() {
        let rung = RetryDelay(text: "50ms", duration: .milliseconds(50))

        #expect(RetryLadder(delays: [rung]).rung(attempt: 9, firstFailure: first, now: first) == rung)
        #expect(
            RetryLadder(delays: [rung], givesUpAfter: .zero).rung(attempt: 0, firstFailure: first, now: first) == nil)
    }
}
