import Messages
import Testing

@Suite("Tallies of experiments")
struct ExperimentTallyTests {
    static let (control, other) = (
        ExperimentTally.Stratum(
            epoch: 1, variant: VariantKey(rawValue: "a"), environment: .production, trust: .attested),
        ExperimentTally.Stratum(
            epoch: 1, variant: VariantKey(rawValue: "b"), environment: .production, trust: .attested)
    )

    /// A partition's, of numbers that differ.
    static func tally(_ seed: Int) -> ExperimentTally {
        ExperimentTally(
            counts: [
                .init(
                    stratum: seed % 2 == 0 ? control : other, assigned: 9 * seed, exposed: 8 * seed,
                    converted: 7 * seed,
                    matured: 6 * seed, maturedConverted: 5 * seed, refunds: 4 * seed, unpriced: 3 * seed,
                    unverified: 2 * seed)
            ],
            revenue: [
                .init(
                    stratum: control, currency: seed % 3 == 0 ? "EUR" : "USD", paid: Int64(100 * seed),
                    refunded: Int64(seed), matured: Int64(50 * seed), maturedSquares: Double(seed * seed),
                    maturedPayers: seed)
            ],
            renderings: [
                .init(stratum: control, storefront: nil, skus: [], impressions: seed),
                .init(
                    stratum: control, storefront: "USA", skus: [ProductID(rawValue: "p\(seed % 2)")],
                    impressions: seed),
            ],
            audience: [
                .init(environment: .production, trust: .attested, users: 10 * seed, ofSeveralVariants: seed),
                .init(environment: .production, trust: .unverified, users: seed, ofSeveralVariants: 0),
            ])
    }

    @Test("What is of one stratum is added, what is of another stays apart")
    func sum() {
        let sum = Self.tally(1) + Self.tally(2) + Self.tally(3)

        #expect(sum.counts.map(\.stratum) == [Self.control, Self.other])
        #expect(sum.counts.map(\.assigned) == [18, 36])
        #expect(sum.counts.map(\.unverified) == [4, 8])
        #expect(sum.revenue.map(\.currency) == ["EUR", "USD"])
        #expect(sum.revenue.map(\.paid) == [300, 300])
        #expect(sum.revenue.map(\.maturedSquares) == [9, 5])
        #expect(sum.renderings.map(\.impressions) == [6, 2, 4])
        #expect(
            sum.audience == [
                .init(environment: .production, trust: .attested, users: 60, ofSeveralVariants: 6),
                .init(environment: .production, trust: .unverified, users: 6, ofSeveralVariants: 0),
            ])
    }

    @Test("The order of the partitions does not matter")
    func order() {
        let partitions = (1...6).map(Self.tally)

        let (forth, back) = (
            partitions.reduce(ExperimentTally(), +), partitions.reversed().reduce(ExperimentTally(), +)
        )

        #expect(forth == back)
    }

    @Test("Sums that no number can hold stop nobody")
    func overflow() {
        var huge = ExperimentTally(counts: [.init(stratum: Self.control, assigned: .max, exposed: .min)])

        huge = huge + huge

        #expect(huge.counts.first?.assigned == .max)
        #expect(huge.counts.first?.exposed == .min)
    }
}
