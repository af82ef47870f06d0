import Testing

@testable import Tollgate

@Suite("The end of a run before its time", .timeLimit(.minutes(1)))
struct LoadStopTests {
    @Test("Nobody waits longer than until the end was asked for")
    func waits() async throws {
        let stop = LoadStop()
        async let wait: Void = stop.wait(until: .now + .seconds(3_600))
        stop.ask()
        try await wait

        #expect(stop.isAsked)
    }

    @Test("What is due before the end of the grace stays so, what is due later is due then")
    func limits() {
        let stop = LoadStop()
        let (soon, late) = (ContinuousClock.now + .seconds(1), ContinuousClock.now + .seconds(3_600))
        #expect(stop.limit(late) == late)

        stop.ask()

        #expect(stop.limit(soon) == soon)
        #expect(stop.limit(late) <= .now + LoadStop.grace)
    }

    @Test("Work that ends is waited for, and what it failed of is told")
    func bounds() async throws {
        struct Failure: Error {}
        try await LoadStop().bounding {}

        await #expect(throws: Failure.self) { try await LoadStop().bounding { throw Failure() } }
    }
}
