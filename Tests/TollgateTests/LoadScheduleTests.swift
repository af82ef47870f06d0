import Testing
import Tollgate

@Suite("When load is sent")
struct LoadScheduleTests {
    static func schedule(_ rate: String, for seconds: Int, most: Int = .max) throws -> LoadSchedule {
        LoadSchedule(try #require(LoadSchedule.Rate(rate)), for: .seconds(seconds), most: most)
    }

    @Test("A steady rate sends evenly, from the first moment on")
    func steady() throws {
        let schedule = try Self.schedule("200", for: 10)

        #expect(schedule.count == 2_000)
        #expect(schedule.time(of: 0) == .zero)
        #expect(Self.isNear(schedule.time(of: 1), .milliseconds(5)))
        #expect(Self.isNear(schedule.time(of: 1_999), .milliseconds(9_995)))
    }

    @Test("A ramp sends as many as the mean rate would, the second half more than the first")
    func ramp() throws {
        let schedule = try Self.schedule("100..300", for: 10)
        let early = (0..<schedule.count).filter { schedule.time(of: $0) < .seconds(5) }.count

        #expect(schedule.count == 2_000)
        // (100 + 200) / 2 × 5 s
        #expect((749...751).contains(early))
    }

    @Test("A ramp may fall, and to almost nothing")
    func fall() throws {
        let schedule = try Self.schedule("1000..0.01", for: 2)

        #expect(schedule.count == 1_000)
        #expect(schedule.time(of: 999) < .seconds(2))
    }

    @Test("Steps are as long as each other")
    func steps() throws {
        let schedule = try Self.schedule("10,100,10", for: 3)
        let seconds = (0..<schedule.count).map { Int(schedule.time(of: $0) / .seconds(1) + 1e-9) }

        #expect(schedule.count == 120)
        #expect([0, 1, 2].map { second in seconds.filter { $0 == second }.count } == [10, 100, 10])
    }

    @Test("No message is due before the one before it", arguments: ["7", "1..900", "900..1", "5,1,300,2"])
    func order(rate: String) throws {
        let schedule = try Self.schedule(rate, for: 7)
        let times = (0..<schedule.count).map(schedule.time)

        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(times.allSatisfy { $0 >= .zero && $0 <= .seconds(7) })
    }

    @Test("What goes beyond the greatest number is left out, and the run is over earlier")
    func most() throws {
        let schedule = try Self.schedule("100", for: 10, most: 50)

        #expect(schedule.count == 50)
        #expect(Self.isNear(schedule.duration, .milliseconds(500)))
    }

    @Test(
        "A rate that is none is refused",
        arguments: ["", "0", "-1", "x", "1..", "..5", "5,,6", "1e9", "nan", "1..2..3"])
    func bad(text: String) {
        #expect(LoadSchedule.Rate(text) == nil)
    }

    static func isNear(_ left: Duration, _ right: Duration) -> Bool {
        left - right < .microseconds(2) && right - left < .microseconds(2)
    }
}

@Suite("Percentiles of latencies")
struct LatencyHistogramTests {
    @Test("A percentile is at most one percent too long, over six orders of magnitude", arguments: [0.5, 0.9, 0.99, 1])
    func exactness(part: Double) throws {
        var histogram = LatencyHistogram()
        let durations = (1...20_000).map { Duration.microseconds(Int64($0) * Int64($0)) }
        for duration in durations.reversed() { histogram.record(duration) }
        let exact = durations[Int((Double(durations.count) * part).rounded(.up)) - 1]

        let found = try #require(histogram.percentile(part))
        #expect(found >= exact)
        #expect(found <= exact * 1.01)
    }

    @Test(
        "Whatever is recorded has its place",
        arguments: [
            Duration.seconds(-5), .zero, .nanoseconds(1), .microseconds(127), .microseconds(128), .microseconds(255),
            .microseconds(256), .seconds(86_400), .seconds(1 << 60),
        ])
    func bounds(duration: Duration) {
        var histogram = LatencyHistogram()
        histogram.record(duration)

        #expect(histogram.count == 1)
        #expect(histogram.greatest == max(.zero, duration))
        #expect(histogram.percentile(0.5).map { $0 <= max(.zero, duration) } == true)
    }

    @Test("Of nothing there is no percentile")
    func empty() {
        #expect(LatencyHistogram().percentile(0.99) == nil)
    }
}

@Suite("Thresholds of load")
struct LoadThresholdTests {
    @Test(
        "A threshold holds or not",
        arguments: [
            ("p99_effect<200ms", 199.9, true), ("p99_effect<200ms", 200, false), ("p99_effect<=200ms", 200, true),
            ("lost=0", 0, true), ("lost=0", 1, false), ("rate>=100", 100, true), ("rate>100", 100, false),
            ("max_accept<2s", 1_999, true), (" twice = 0 ", 0, true),
        ])
    func holds(text: String, value: Double, expected: Bool) throws {
        let threshold = try #require(LoadThreshold(text))

        #expect(threshold.holds(of: [threshold.figure: value]) == expected)
    }

    @Test("What was not measured holds nothing")
    func unmeasured() throws {
        let threshold = try #require(LoadThreshold("p99_effect<200ms"))

        #expect(!threshold.holds(of: ["p99_accept": 1]))
    }

    @Test("Several are separated by commas")
    func list() {
        #expect(
            LoadThreshold.list("p99_effect<200ms,lost=0,twice=0")?.map(\.figure) == ["p99_effect", "lost", "twice"])
    }

    @Test(
        "What is no threshold is refused",
        arguments: [
            "", "lost", "lost=", "lost=x", "lost=1ms", "p99_effect<200", "p42_effect<2s", "nothing=0", "lost=0,",
            "lost=nan",
        ])
    func bad(text: String) {
        #expect(LoadThreshold.list(text) == nil)
    }

    @Test("A kill names a service and a time; unless it is said, it stays away for two seconds")
    func kill() throws {
        let kill = try #require(LoadKill("one@30s", services: ["one", "two"]))
        let longer = try #require(LoadKill("two@500ms+5s", services: ["one", "two"]))

        #expect((kill.service, kill.time, kill.away) == ("one", .seconds(30), .seconds(2)))
        #expect((longer.time, longer.away) == (.milliseconds(500), .seconds(5)))
        for text in ["", "one", "one@", "three@1s", "one@1", "one@1s+", "one@1s+1s+1s", "@1s", "../one@1s"] {
            #expect(LoadKill(text, services: ["one", "two"]) == nil, "\(text)")
        }
    }
}
