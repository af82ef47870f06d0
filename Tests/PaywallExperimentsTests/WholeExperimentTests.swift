import Crypto
import Messages
import Statistics
import TestSupport
import Testing

@testable import PaywallExperiments

/// An experiment from the first fetch to the last renewal, by messages alone, looked at every day.
@Suite("A whole experiment")
struct WholeExperimentTests {
    static let (start, day, window) = (OutcomeFacts.start, OutcomeFacts.day, OutcomeFacts.day * 7)
    static let organisation = OrganisationID(rawValue: "whole")
    static let (control, treatment) = (VariantKey(rawValue: "a"), VariantKey(rawValue: "b"))

    static let experiment: Experiment = {
        let arms = [control, treatment].map { Experiment.Arm(variant: $0, weight: 1) }
        return Experiment(
            organisation: organisation, app: OutcomeFacts.app, id: ExperimentID(rawValue: "whole"),
            entitlement: EntitlementID(rawValue: "pro"), name: "whole", state: .running, coverage: 10_000, arms: arms,
            variants: [control, treatment].map {
                .init(key: $0, skus: [.init(product: OutcomeFacts.monthly, kind: .subscription)])
            }, epochs: [.init(number: 1, beganAt: start, coverage: 10_000, arms: arms)],
            conversionWindowSeconds: 7 * 86_400, createdAt: start, startedAt: start, version: 2, changedAt: start)
    }()

    static func install(_ number: Int) -> InstallID { OutcomeFacts.install(number) }
    static func user(_ number: Int) -> AppUserID { OutcomeFacts.user(number) }

    /// What one install does on the day of its fetch: it sees its paywall. Some buy, those of the treatment after six
    /// days, the others at once.
    static func letters(of number: Int, on today: Int, _ random: inout SeededGenerator) throws -> [Letter] {
        let time = start + day * today + .seconds(number)
        let variant = Draw(install(number), in: experiment.id).variant(by: experiment.epochs[0]) { Digest.sha256($0) }
        var letters = [
            try Letter(
                PaywallResolve(
                    organisation: organisation, app: OutcomeFacts.app, install: install(number), user: user(number),
                    entitlement: experiment.entitlement, trust: .attested), id: "fetch-\(number)", at: time,
                from: .attestGateway),
            try Letter(
                ImpressionRecord(
                    organisation: organisation, app: OutcomeFacts.app, install: install(number),
                    experiment: experiment.id, renderedSkus: [OutcomeFacts.monthly], storefront: "USA",
                    trust: .attested), id: "seen-\(number)", at: time + .seconds(1), from: .attestGateway),
        ]
        let isTreated = variant == treatment
        guard Double.random(in: 0..<1, using: &random) < (isTreated ? 0.25 : 0.08) else { return letters }
        let bought = time + (isTreated ? day * 6 : .seconds(60))
        let transaction = TransactionID(rawValue: "transaction-\(number)")
        var purchase = CustomerPurchase(
            organisation: organisation, app: OutcomeFacts.app, realm: .stores, environment: .production,
            user: user(number), transaction: transaction,
            originalTransaction: OriginalTransactionID(rawValue: transaction.rawValue), product: OutcomeFacts.monthly,
            purchasedAt: bought, chainBeganAt: bought, rank: .verified, linkedAt: bought, isHeld: true, revision: 1)
        purchase.priceMilliunits = 9_990
        purchase.currency = "USD"
        letters.append(try Letter(purchase, id: "bought-\(number)", at: bought, from: .entitlementResolver))
        return letters
    }

    @Test("Whoever looks every day is not taken in by buyers who take their time, and finds the better arm in the end")
    func delayed() async throws {
        let stores = try await OutcomePartitions(2)
        let changed = try Letter(
            ExperimentChanged(experiment: Self.experiment), id: "experiment", at: Self.start, from: .paywallExperiments)
        try await stores.settle([changed], now: Self.start)
        var random = SeededGenerator(seed: 5)
        var due: [Letter] = []
        var (looksLess, looksMore, naiveLess) = (0, 0, 0)
        for today in 0..<20 {
            let now = Self.start + Self.day * (today + 1)
            if today < 10 {
                for number in (today * 80)..<(today * 80 + 80) {
                    due += try Self.letters(of: number, on: today, &random)
                }
            }
            try await stores.settleAll(due.filter { $0.acceptedAt <= now }, now: now)
            due.removeAll { $0.acceptedAt <= now }

            let tally = try await stores.tally(
                Self.experiment.id, of: OutcomeFacts.app, Self.organisation, at: now, window: Self.window)
            let counts = Dictionary(uniqueKeysWithValues: tally.counts.map { ($0.stratum.variant, $0) })
            guard let a = counts[Self.control], let b = counts[Self.treatment] else { continue }
            let honest = ConversionDifference(
                of: Trials(count: b.matured, successes: b.maturedConverted),
                over: Trials(count: a.matured, successes: a.maturedConverted)
            ).interval(error: 0.05)
            let naive = ConversionDifference(
                of: Trials(count: b.exposed, successes: b.converted),
                over: Trials(count: a.exposed, successes: a.converted)
            ).interval(error: 0.05)
            looksLess += honest.upper < 0 ? 1 : 0
            looksMore += honest.lower > 0 ? 1 : 0
            naiveLess += naive.upper < 0 ? 1 : 0
        }

        #expect(looksLess == 0)
        #expect(looksMore > 0)
        // Otherwise there was no temptation.
        #expect(naiveLess > 0)
        #expect(due.isEmpty)
    }
}
