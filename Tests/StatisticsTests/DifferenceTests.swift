import Foundation
import Statistics
import TestSupport
import Testing

@Suite("Differences")
struct DifferenceTests {
    static func difference(_ control: (Int, Int), _ treatment: (Int, Int)) -> ConversionDifference {
        ConversionDifference(
            of: Trials(count: treatment.0, successes: treatment.1), over: Trials(count: control.0, successes: control.1)
        )
    }

    @Test("Where nothing was seen, everything is possible")
    func nothing() {
        let difference = Self.difference((0, 0), (0, 0))

        #expect(difference.interval(error: 0.05) == Interval(lower: -1, upper: 1))
        #expect(difference.estimate == 0)
    }

    @Test(
        "The interval holds the estimate, turns round with the arms, and lies within -1 and 1",
        arguments: [
            ((1, 0), (1, 1)), ((1, 1), (1, 0)), ((10, 0), (10, 0)), ((10, 10), (10, 10)), ((100, 5), (100, 9)),
            ((100, 0), (50, 50)), ((1_000_000, 50_000), (1_000_000, 52_000)), ((7, 3), (1_000_000, 1)),
        ] as [((Int, Int), (Int, Int))])
    func shape(control: (Int, Int), treatment: (Int, Int)) {
        let interval = Self.difference(control, treatment).interval(error: 0.05)
        let turned = Self.difference(treatment, control).interval(error: 0.05)

        #expect(interval.contains(Self.difference(control, treatment).estimate))
        #expect(interval.lower >= -1 && interval.upper <= 1)
        #expect(abs(interval.lower + turned.upper) < 1e-6 && abs(interval.upper + turned.lower) < 1e-6)
    }

    @Test("With more installs, and with a greater error allowed, it is narrower")
    func narrower() {
        func width(_ factor: Int, _ error: Double) -> Double {
            let interval = Self.difference((100 * factor, 10 * factor), (100 * factor, 12 * factor)).interval(
                error: error)
            return interval.upper - interval.lower
        }

        #expect(width(1, 0.05) > width(10, 0.05))
        #expect(width(10, 0.05) > width(100, 0.05))
        #expect(width(10, 0.01) > width(10, 0.05))
        // Some twice and a half of what one look at the end would give.
        #expect(width(100, 0.05) < 3 * 2 * 1.96 * sqrt(2 * 0.11 * 0.89 / 10_000))
    }

    @Test("The evidence against the truth is an expectation of at most 1: over all outcomes of a few trials, summed up")
    func exact() {
        for (rate, difference) in [(0.3, 0.0), (0.1, 0.2), (0.5, -0.25), (0.02, 0.9)] {
            var expectation = 0.0
            for (a, b) in [Int](0...5).flatMap({ a in (0...4).map { (a, $0) } }) {
                func probability(_ count: Int, _ successes: Int, _ rate: Double) -> Double {
                    let ways = exp(
                        lgamma(Double(count) + 1) - lgamma(Double(successes) + 1)
                            - lgamma(Double(count - successes) + 1))
                    return ways * pow(rate, Double(successes)) * pow(1 - rate, Double(count - successes))
                }
                let evidence = Self.difference((5, a), (4, b)).logEvidence(against: difference)
                expectation += exp(evidence) * probability(5, a, rate) * probability(4, b, rate + difference)
            }
            #expect(expectation <= 1 + 1e-9 && expectation > 0.05)
        }
    }

    @Test("What cannot be is brought to what can")
    func clamped() {
        #expect(Trials(count: 5, successes: 9).successes == 5)
        #expect(Trials(count: -1, successes: 3) == Trials(count: 0, successes: 0))
        #expect(Sample(count: 2, sum: 3, sumOfSquares: 0).variance == 0)
    }

    @Test(
        "A difference of means has an interval once both arms have a value, and none of no width unless all are equal")
    func means() {
        let (none, some) = (
            Sample(count: 0, sum: 0, sumOfSquares: 0), Sample(count: 100, sum: 50, sumOfSquares: 100)
        )

        #expect(MeanDifference(of: some, over: none).interval(error: 0.05) == nil)
        #expect(MeanDifference(of: some, over: some).interval(error: 0.05)?.containsZero == true)
    }

    @Test("An install in an arm that has no weight is beyond doubt; weights of nothing say nothing")
    func noWeight() {
        var (impossible, empty) = (SampleRatio(), SampleRatio())
        impossible.add([(100, 1), (1, 0)])
        empty.add([(100, 0), (1, 0)])

        #expect(impossible.isOff(error: 1e-9) && impossible.anytimePValue == 0)
        #expect(!empty.isOff(error: 0.01) && empty.anytimePValue == 1)
    }

    @Test("Epochs with weights of their own are tested together, each against its own")
    func epochs() {
        var ratio = SampleRatio()
        ratio.add([(5_000, 1), (5_020, 1)])
        ratio.add([(9_010, 9), (990, 1)])
        #expect(!ratio.isOff(error: 0.01))

        ratio.add([(9_000, 1), (1_000, 1)])
        #expect(ratio.isOff(error: 0.01))
    }
}
