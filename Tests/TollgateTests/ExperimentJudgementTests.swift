import Messages
import Testing

@testable import Tollgate

@Suite("Judging experiments")
struct ExperimentJudgementTests {
    static let (a, b, c) = (VariantKey(rawValue: "a"), VariantKey(rawValue: "b"), VariantKey(rawValue: "c"))
    static let (annual, monthly) = (ProductID(rawValue: "annual"), ProductID(rawValue: "monthly"))
    static let now = Timestamp(clamping: 1_796_026_500_000)

    /// - Parameter weights: of each epoch, by variant in alphabetical order; an arm without one has been dropped.
    static func experiment(_ weights: [Int?]..., variants: Int = 2) -> Experiment {
        let names = [a, b, c].prefix(variants)
        func arms(_ weights: [Int?]) -> [Experiment.Arm] {
            zip(names, weights).compactMap { name, weight in weight.map { .init(variant: name, weight: $0) } }
        }
        return Experiment(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
            id: ExperimentID(rawValue: "e-1"), entitlement: EntitlementID(rawValue: "pro"), name: "Annual first",
            state: .running, coverage: 10_000, arms: arms(weights.last ?? []),
            variants: names.map {
                .init(
                    key: $0,
                    skus: [.init(product: annual, kind: .subscription), .init(product: monthly, kind: .subscription)])
            },
            epochs: weights.enumerated().map {
                .init(number: $0.offset + 1, beganAt: now, coverage: 10_000, arms: arms($0.element))
            }, conversionWindowSeconds: 7 * 86_400, createdAt: now, startedAt: now, version: 2, changedAt: now)
    }

    static func stratum(
        _ variant: VariantKey, epoch: Int = 1, _ environment: StoreEnvironment = .production,
        _ trust: Trust = .attested
    ) -> ExperimentTally.Stratum {
        .init(epoch: epoch, variant: variant, environment: environment, trust: trust)
    }

    static func count(
        _ variant: VariantKey, _ matured: Int, _ converted: Int, epoch: Int = 1, _ trust: Trust = .attested,
        _ environment: StoreEnvironment = .production
    ) -> ExperimentTally.Count {
        .init(
            stratum: stratum(variant, epoch: epoch, environment, trust), assigned: matured, exposed: matured,
            converted: converted, matured: matured, maturedConverted: converted)
    }

    static func revenue(_ variant: VariantKey, _ payers: Int, _ price: Int64) -> ExperimentTally.Revenue {
        .init(
            stratum: stratum(variant), currency: "USD", paid: Int64(payers) * price, refunded: 0,
            matured: Int64(payers) * price, maturedSquares: Double(payers) * Double(price) * Double(price),
            maturedPayers: payers)
    }

    static func results(
        _ tally: ExperimentTally, _ experiment: Experiment = experiment([1, 1]), trust: Trust = .attested,
        epoch: Int? = nil, isTest: Bool = false
    ) -> ExperimentResults {
        ExperimentJudgement(experiment: experiment, tally: tally, trust: trust, epoch: epoch)
            .results(at: now, isTest: isTest)
    }

    @Test("A difference that the interval shows is told with its bounds, and one that it does not show is not told")
    func decision() {
        let shown = Self.results(.init(counts: [Self.count(Self.a, 5_000, 250), Self.count(Self.b, 5_000, 500)]))
        let less = Self.results(.init(counts: [Self.count(Self.a, 5_000, 500), Self.count(Self.b, 5_000, 250)]))
        let open = Self.results(.init(counts: [Self.count(Self.a, 500, 25), Self.count(Self.b, 500, 35)]))

        #expect(shown.decision.contains("b converts more than a, by "))
        #expect(less.decision.contains("b converts less than a, by "))
        #expect(open.decision.contains("No difference in conversion between b and a is shown: it lies between -"))
        #expect(!open.decision.contains("more") && !open.decision.contains("less"))
    }

    @Test("What is shown is rounded outwards, and never claims more than the interval")
    func rounding() throws {
        let results = Self.results(.init(counts: [Self.count(Self.a, 5_000, 250), Self.count(Self.b, 5_000, 500)]))
        let interval = try #require(results.comparisons.first).conversion
        let words = results.decision.split(separator: " ")
        let index = try #require(words.firstIndex(of: "by"))
        let (least, most) = (Double(words[index + 1]), Double(words[index + 3]))

        #expect(try #require(least) / 100 <= interval.lower && interval.lower - #require(least) / 100 < 0.0002)
        #expect(try #require(most) / 100 >= interval.upper && #require(most) / 100 - interval.upper < 0.0002)
        #expect(DecimalText.text(-0.004, places: 2, .down) == "-0.01")
        #expect(DecimalText.text(-0.004, places: 2, .up) == "0.00")
        #expect(DecimalText.text(12.5, places: 0) == "13")
        #expect(DecimalText.text(.infinity, places: 2) == "inf")
        #expect(DecimalText.money(-1_050) == "-1.05")
    }

    @Test("Before any window is over nothing is said, whatever has been bought")
    func immature() {
        let early = [Self.a, Self.b].map { variant in
            ExperimentTally.Count(
                stratum: Self.stratum(variant), assigned: 100, exposed: 90, converted: variant == Self.a ? 90 : 0)
        }

        let results = Self.results(.init(counts: early))

        #expect(
            results.decision == "Nothing can be said yet: no exposure is older than the conversion window (7 days).")
        #expect(results.comparisons.first?.conversion == .init(difference: 0, lower: -1, upper: 1))
    }

    @Test("Nothing is decided while installs do not fall as the weights say: assigned or exposed")
    func ratio() {
        let off = Self.results(.init(counts: [Self.count(Self.a, 5_000, 250), Self.count(Self.b, 4_000, 500)]))
        var lost = [Self.count(Self.a, 5_000, 250), Self.count(Self.b, 5_000, 500)]
        lost[1].exposed = 4_000
        let unseen = Self.results(.init(counts: lost))

        #expect(off.assignedRatio.isOff && off.exposedRatio.isOff)
        #expect(off.decision.hasPrefix("Do not decide by this") && !off.decision.contains("converts more"))
        #expect(!unseen.assignedRatio.isOff && unseen.exposedRatio.isOff)
        #expect(unseen.decision.contains("exposed did not fall"))
    }

    @Test("Each epoch is tested against its own weights")
    func ratioByEpoch() {
        let experiment = Self.experiment([1, 1], [9, 1])
        let counts = [
            Self.count(Self.a, 1_000, 50), Self.count(Self.b, 1_010, 50), Self.count(Self.a, 1_800, 90, epoch: 2),
            Self.count(Self.b, 205, 10, epoch: 2),
        ]

        #expect(!Self.results(.init(counts: counts), experiment).assignedRatio.isOff)
        #expect(Self.results(.init(counts: counts), Self.experiment([1, 1], [1, 1])).assignedRatio.isOff)
    }

    /// Simpson's paradox: more in each epoch alone is less in both together.
    @Test("Epochs with another ratio of weights are not put together")
    func pooling() {
        let counts = [
            Self.count(Self.a, 1_000, 50), Self.count(Self.b, 1_000, 60), Self.count(Self.a, 100, 30, epoch: 2),
            Self.count(Self.b, 900, 280, epoch: 2),
        ]
        let changed = Self.results(.init(counts: counts), Self.experiment([1, 1], [1, 9]))
        let same = Self.results(.init(counts: counts), Self.experiment([1, 1], [3, 3]))
        let chosen = Self.results(.init(counts: counts), Self.experiment([1, 1], [1, 9]), epoch: 1)

        #expect(changed.comparisons.map(\.epochs) == [[2]])
        #expect(same.comparisons.map(\.epochs) == [[1, 2]])
        #expect(chosen.comparisons.map(\.epochs) == [[1]])
        #expect(chosen.variants.map(\.assigned) == [1_000, 1_000])
    }

    @Test("A dropped arm is judged by the epochs in which it was one; several arms share the error")
    func dropped() {
        let experiment = Self.experiment([1, 1, 2], [1, 1, nil], variants: 3)
        let counts = [
            Self.count(Self.a, 500, 50), Self.count(Self.b, 500, 50), Self.count(Self.c, 1_000, 50),
            Self.count(Self.a, 500, 50, epoch: 2), Self.count(Self.b, 500, 50, epoch: 2),
        ]

        let comparisons = Self.results(.init(counts: counts), experiment).comparisons

        #expect(comparisons.map(\.variant) == [Self.b, Self.c])
        #expect(comparisons.map(\.epochs) == [[1, 2], [1]])
        #expect(comparisons.map(\.error) == [0.025, 0.025])
    }

    @Test("Sandbox and unattested traffic are apart, and can be judged by themselves")
    func apart() {
        let counts = [
            Self.count(Self.a, 10, 1, epoch: 1, .unverified), Self.count(Self.b, 12, 2, epoch: 1, .unverified),
            Self.count(Self.b, 3, 3, epoch: 1, .attested, .sandbox),
        ]
        let attested = Self.results(.init(counts: counts))
        let unverified = Self.results(.init(counts: counts), trust: .unverified)

        #expect(attested.variants.allSatisfy { $0.exposed == 0 })
        #expect(
            attested.apart == [
                .init(environment: .production, trust: .unverified, assigned: 22, exposed: 22, converted: 3),
                .init(environment: .sandbox, trust: .attested, assigned: 3, exposed: 3, converted: 3),
            ])
        #expect(attested.decision.contains("no attested install has seen it. 22 that are unverified stand apart"))
        #expect(unverified.variants.map(\.exposed) == [10, 12])
        #expect(unverified.apart.map(\.environment) == [.sandbox])
    }

    @Test("An asymptotic interval is shown from 20 payers in each arm on", arguments: [19, 20])
    func revenue(payers: Int) throws {
        let tally = ExperimentTally(
            counts: [Self.count(Self.a, 400, 40), Self.count(Self.b, 400, 40)],
            revenue: [Self.revenue(Self.a, 40, 1_990), Self.revenue(Self.b, payers, 99_990)])

        let estimate = try #require(Self.results(tally).comparisons.first?.revenue.first)

        #expect((estimate.interval != nil) == (payers == 20))
        #expect(abs(estimate.difference - (Double(payers) * 99.99 - 40 * 1.99) / 400) < 1e-9)
    }

    @Test("More money is told where the interval shows it, and named asymptotic")
    func money() {
        let tally = ExperimentTally(
            counts: [Self.count(Self.a, 5_000, 500), Self.count(Self.b, 5_000, 500)],
            revenue: [Self.revenue(Self.a, 500, 4_990), Self.revenue(Self.b, 500, 9_990)])

        let decision = Self.results(tally).decision

        #expect(decision.contains("No difference in conversion"))
        #expect(decision.contains("b brings more USD than a, by ") && decision.contains("an install (asymptotic)."))
    }

    @Test(
        "A product that is missing in one of ten impressions is told, from 50 on, storefront by storefront",
        arguments: [(44, 6, true), (45, 5, false), (43, 6, false)])
    func missing(whole: Int, partial: Int, isMissing: Bool) {
        let tally = ExperimentTally(renderings: [
            .init(
                stratum: Self.stratum(Self.b), storefront: "USA", skus: [Self.annual, Self.monthly], impressions: whole),
            .init(stratum: Self.stratum(Self.b), storefront: "USA", skus: [Self.annual], impressions: partial),
            .init(
                stratum: Self.stratum(Self.b), storefront: "DEU", skus: [Self.annual, Self.monthly],
                impressions: 1_000),
        ])

        let results = Self.results(tally)

        #expect(
            results.missingSKUs
                == (isMissing
                    ? [
                        .init(
                            variant: Self.b, storefront: "USA", sku: Self.monthly, rendered: whole,
                            impressions: whole + partial)
                    ]
                    : []))
        #expect(results.decision.contains("that test is broken") == isMissing)
    }

    @Test("Of a test app it is said that nobody has paid anything")
    func test() {
        #expect(Self.results(.init(), isTest: true).decision.hasPrefix("This is a test app"))
    }

    @Test("The text has every section, and the decision at its end")
    func text() {
        var tally = ExperimentTally(
            counts: [Self.count(Self.a, 5_000, 250), Self.count(Self.b, 5_000, 500)],
            revenue: [Self.revenue(Self.a, 250, 4_990), Self.revenue(Self.b, 10, 9_990)],
            audience: [
                .init(environment: .production, trust: .unverified, users: 500, ofSeveralVariants: 500),
                .init(environment: .production, trust: .attested, users: 10_000, ofSeveralVariants: 25),
            ])
        tally.counts[1].refunds = 3

        let text = ExperimentResultsText(results: Self.results(tally)).text

        for part in [
            "Annual first (e-1), running", "a (control)", "10.00 %", "b against a, 95.00 % at any time, epochs 1",
            "sample ratio of assigned: as it should be", "users of several variants: 25 of 10000 (0.25 %)",
            "no interval before each has 20 payers (10)", "a: 1247.50 USD", "forced variants",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(text.split(separator: "\n").last?.hasSuffix("points.") == true)
    }
}
