import Crypto
import Foundation
import Messages
import Testing

@Suite("Who is assigned to what")
struct DrawTests {
    static func variant(
        of install: Int, coverage: Int = 10_000, epoch: Int = 1, weights: [Int] = [1, 1], in experiment: String = "one"
    ) -> VariantKey? {
        let keys = ["control", "b", "c"].map(VariantKey.init(rawValue:))
        let epoch = Experiment.Epoch(
            number: epoch, beganAt: .distantPast, coverage: coverage,
            arms: zip(keys, weights).map { Experiment.Arm(variant: $0, weight: $1) })
        return Draw(InstallID(rawValue: "install-\(install)"), in: ExperimentID(rawValue: experiment))
            .variant(by: epoch, sha256: { Digest.sha256($0) })
    }

    @Test("The worked example of the README runs in a shell, and gives what the code gives")
    func workedExample() throws {
        let readme = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Services/PaywallExperiments/README.md"), encoding: .utf8)
        let script = try #require(readme.components(separatedBy: "```sh\n").dropFirst().first)
            .components(separatedBy: "```")[0]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-ec", script]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        #expect(output == "3895\n3\n")
        for number in output.split(separator: "\n") { #expect(script.contains("# \(number),")) }
        let draw = Draw(
            InstallID(rawValue: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"),
            in: ExperimentID(rawValue: "0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f"))
        let arms = [
            Experiment.Arm(variant: VariantKey(rawValue: "control"), weight: 1),
            Experiment.Arm(variant: VariantKey(rawValue: "b"), weight: 3),
        ]
        for (coverage, variant) in [(3_895, nil), (3_896, "b"), (5_000, "b"), (10_000, "b"), (0, nil)] {
            let epoch = Experiment.Epoch(number: 2, beganAt: .distantPast, coverage: coverage, arms: arms)
            #expect(draw.variant(by: epoch, sha256: { Digest.sha256($0) })?.rawValue == variant)
        }
    }

    /// Chi-square over fixed installs; 13.82 is its 99.9th percentile at two degrees of freedom.
    @Test("Arms get their shares", arguments: [[1, 1, 1], [1, 2, 3], [70, 20, 10], [1, 1, 1_000]])
    func shares(weights: [Int]) {
        let installs = 20_000
        let nobody = VariantKey(rawValue: "")
        var counts: [VariantKey: Int] = [:]
        for install in 0..<installs { counts[Self.variant(of: install, weights: weights) ?? nobody, default: 0] += 1 }

        let sum = weights.reduce(0, +)
        let keys = ["control", "b", "c"].map(VariantKey.init(rawValue:))
        let chiSquare = zip(keys, weights).reduce(0.0) { chiSquare, arm in
            let expected = Double(installs) * Double(arm.1) / Double(sum)
            let difference = Double(counts[arm.0] ?? 0) - expected
            return chiSquare + difference * difference / expected
        }
        #expect(chiSquare < 13.82, "\(counts)")
        #expect(counts[nobody] == nil)
    }

    @Test("So many take part as the coverage says", arguments: [0, 1, 100, 5_000, 9_999, 10_000])
    func coverage(basisPoints: Int) {
        let installs = 20_000
        let count = (0..<installs).count { Self.variant(of: $0, coverage: basisPoints) != nil }

        let share = Double(basisPoints) / 10_000
        let expected = Double(installs) * share
        // Four standard deviations; none where there is nothing to chance.
        #expect(abs(Double(count) - expected) <= 4 * (expected * (1 - share)).squareRoot())
    }

    @Test("Who takes part at a coverage takes part at every greater one, in every epoch")
    func nested() {
        for install in 0..<2_000 where Self.variant(of: install, coverage: 1_000, epoch: 1) != nil {
            #expect(Self.variant(of: install, coverage: 2_000, epoch: 2) != nil)
        }
    }

    @Test("Epochs, experiments and the question of taking part are drawn apart")
    func independence() {
        let installs = 8_000
        func share(_ isSame: (Int) -> Bool) -> Double {
            Double((0..<installs).count(where: isSame)) / Double(installs)
        }

        let epochs = share { Self.variant(of: $0) == Self.variant(of: $0, epoch: 2) }
        let experiments = share { Self.variant(of: $0) == Self.variant(of: $0, in: "two") }
        let covered = (0..<installs).compactMap { Self.variant(of: $0, coverage: 5_000) }
        let b = Double(covered.count { $0.rawValue == "b" }) / Double(covered.count)

        for share in [epochs, experiments, b] { #expect(abs(share - 0.5) < 0.03, "\(share)") }
    }

    @Test(
        "Numbers that nobody could have meant assign nobody, and stop nothing",
        arguments: [[0, 0], [Int.max, Int.max, Int.max], [-1, -5], [Int.min, 0], []])
    func hostile(weights: [Int]) {
        #expect(Self.variant(of: 1, weights: weights) == nil)
    }
}
