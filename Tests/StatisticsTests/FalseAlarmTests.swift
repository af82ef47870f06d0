import Foundation
import Statistics
import TestSupport
import Testing

/// What the intervals promise, tried out: a thousand experiments in which there is nothing to find, looked at all the
/// time, and some in which there is.
@Suite("Looking all the time")
struct FalseAlarmTests {
    static let installs = 2_000

    @Test("Of 1,000 experiments without a difference, at most 5 % are ever told to have one in conversion")
    func conversion() async {
        let alarms = await number(of: 1_000) { seed in
            var experiment = SimulatedExperiment(.init(rate: 0.05), .init(rate: 0.05), seed: UInt64(seed))
            return experiment.watch(installs: Self.installs) { !$0.conversion.isZeroPossible(error: 0.05) }
        }

        #expect(alarms <= 50)
    }

    @Test("Nor are more than 5 % in revenue, from 20 payers in each arm on")
    func revenue() async {
        let alarms = await number(of: 1_000) { seed in
            var experiment = SimulatedExperiment(.init(rate: 0.05), .init(rate: 0.05), seed: UInt64(seed))
            return experiment.watch(installs: Self.installs) { seen in
                guard seen.payers.allSatisfy({ $0 >= 20 }) else { return false }
                return seen.revenue.interval(error: 0.05).map { !$0.containsZero } ?? false
            }
        }

        #expect(alarms <= 50)
    }

    @Test("Nor are more than 1 % told that their sample ratio is off")
    func ratio() async {
        let alarms = await number(of: 1_000) { seed in
            var experiment = SimulatedExperiment(.init(rate: 0), .init(rate: 0), seed: UInt64(seed))
            return experiment.watch(installs: Self.installs) { $0.ratio.isOff(error: 0.01) }
        }

        #expect(alarms <= 10)
    }

    /// Otherwise the tests above would show nothing: this is what looking does to an ordinary test.
    @Test("An ordinary test that is looked at all the time finds differences where there are none")
    func ordinary() async {
        let alarms = await number(of: 1_000) { seed in
            var experiment = SimulatedExperiment(.init(rate: 0.05), .init(rate: 0.05), seed: UInt64(seed))
            return experiment.watch(installs: Self.installs) { seen in
                let (control, treatment) = (seen.trials[0], seen.trials[1])
                guard control.count > 0, treatment.count > 0 else { return false }
                let pooled =
                    Double(control.successes + treatment.successes) / Double(control.count + treatment.count)
                let variance = pooled * (1 - pooled) * (1 / Double(control.count) + 1 / Double(treatment.count))
                let difference = seen.conversion.estimate
                return difference * difference > 1.96 * 1.96 * variance && variance > 0
            }
        }

        #expect(alarms > 150)
    }

    @Test("A difference that is there is found, and its interval holds it at every look")
    func effect() async {
        let found = await number(of: 40) { seed in
            var experiment = SimulatedExperiment(.init(rate: 0.05), .init(rate: 0.10), seed: UInt64(seed))
            return experiment.watch(installs: 8_000) { !$0.conversion.isZeroPossible(error: 0.05) }
        }
        let missed = await number(of: 40) { seed in
            var experiment = SimulatedExperiment(.init(rate: 0.05), .init(rate: 0.10), seed: UInt64(seed))
            return experiment.watch(installs: 1_000) { seen in
                (seen.trials[0].count + seen.trials[1].count).isMultiple(of: 50)
                    && !seen.conversion.interval(error: 0.05).contains(0.05)
            }
        }

        #expect(found == 40)
        #expect(missed <= 2)
    }

    @Test("More revenue at the same conversion is found")
    func revenueEffect() async {
        let found = await number(of: 20) { seed in
            var experiment = SimulatedExperiment(
                .init(rate: 0.1, prices: [9.99]), .init(rate: 0.1, prices: [19.99]), seed: UInt64(seed))
            return experiment.watch(installs: 6_000) { seen in
                guard seen.payers.allSatisfy({ $0 >= 20 }) else { return false }
                return seen.revenue.interval(error: 0.05).map { $0.lower > 0 } ?? false
            }
        }

        #expect(found == 20)
    }

    @Test("Installs of which one in ten of an arm gets lost are found")
    func mismatch() async {
        let found = await number(of: 20) { seed in
            var experiment = SimulatedExperiment(
                .init(rate: 0), .init(rate: 0), share: 0.9 / 1.9, seed: UInt64(seed))
            return experiment.watch(installs: 20_000) { $0.ratio.isOff(error: 0.01) }
        }

        #expect(found == 20)
    }
}

extension ConversionDifference {
    /// Whether the interval holds 0, without finding its ends.
    fileprivate func isZeroPossible(error: Double) -> Bool { logEvidence(against: 0) < -log(error) }
}
