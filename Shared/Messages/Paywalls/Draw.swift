/// By what rule installs are assigned: anybody can follow it with SHA-256 and integer arithmetic.
///
/// The first eight bytes of each digest, the most significant first, are a number. An install takes part while the one of
/// its coverage text modulo 10,000 is below the epoch's coverage. Then the one of its variant text modulo the sum of the
/// weights falls into one arm, when their weights are laid end to end in the order of the epoch.
///
/// The coverage text has no epoch in it: whoever takes part at 10 % does so at 20 %, and 20 % of all are 20 %, however
/// often the rule has changed. The variant text has one, so that new weights meet new numbers.
public struct Draw: Sendable, Hashable {
    /// Whose rule.
    public let experiment: ExperimentID
    /// Who is assigned.
    public let install: InstallID

    /// One install in one experiment.
    public init(_ install: InstallID, in experiment: ExperimentID) {
        self.install = install
        self.experiment = experiment
    }

    /// What is hashed for the question whether it takes part.
    public var coverageText: String { "tollgate.coverage.v1:\(experiment):\(install)" }

    /// What is hashed for its variant in the epoch of this number.
    public func variantText(epoch: Int) -> String { "tollgate.variant.v1:\(experiment):\(epoch):\(install)" }

    /// Its variant by the rule of an epoch; nil: it takes no part.
    ///
    /// - Parameter sha256: the digest of bytes.
    public func variant(by epoch: Experiment.Epoch, sha256: ([UInt8]) -> [UInt8]) -> VariantKey? {
        let coverage = UInt64(max(0, epoch.coverage))
        guard Self.number(sha256(Array(coverageText.utf8))) % 10_000 < coverage else { return nil }
        let weights = epoch.arms.map { UInt64(max(0, $0.weight)) }
        // Whoever wrote these numbers may have been somebody else: a sum beyond 64 bits assigns nobody.
        var sum: UInt64 = 0
        for weight in weights {
            let (next, isTooLarge) = sum.addingReportingOverflow(weight)
            guard !isTooLarge else { return nil }
            sum = next
        }
        guard sum > 0 else { return nil }
        var rest = Self.number(sha256(Array(variantText(epoch: epoch.number).utf8))) % sum
        for (arm, weight) in zip(epoch.arms, weights) {
            if rest < weight { return arm.variant }
            rest -= weight
        }
        return nil
    }

    /// The first eight bytes, the most significant first.
    static func number(_ digest: [UInt8]) -> UInt64 { digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
