import Crypto
import Messages
import TestSupport

@testable import PaywallExperiments

extension OutcomeFacts {
    /// A small world as chance plays it: few installs and users with much in common, so that everything meets everything.
    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        organisation = OrganisationID(rawValue: "org-\(seed)")
        let variants = ["a", "b", "c"].map(VariantKey.init(rawValue:))
        let arms = variants.map { Experiment.Arm(variant: $0, weight: 1) }
        experiment = Experiment(
            organisation: organisation, app: Self.app, id: ExperimentID(rawValue: "experiment-\(seed)"),
            entitlement: EntitlementID(rawValue: "pro"), name: "chance", state: .running, coverage: 9_000, arms: arms,
            variants: variants.map {
                .init(
                    key: $0,
                    skus: [
                        .init(product: Self.annual, kind: .subscription),
                        .init(product: Self.monthly, kind: .subscription),
                    ])
            },
            epochs: [.init(number: 1, beganAt: Self.start, coverage: 9_000, arms: arms)],
            conversionWindowSeconds: 7 * 86_400, createdAt: Self.start, startedAt: Self.start, version: 2,
            changedAt: Self.start)
        let installs = Int.random(in: 2...6, using: &random)
        for install in 0..<installs {
            self.variants[install] =
                experiment.epochs[0].arms.isEmpty
                ? nil
                : Draw(Self.install(install), in: experiment.id).variant(by: experiment.epochs[0]) { Digest.sha256($0) }
            var environments = [StoreEnvironment.production]
            if Bool.random(using: &random) { environments.append(.sandbox) }
            if Int.random(in: 0..<4, using: &random) == 0 { environments.removeFirst() }
            for environment in environments { addNamings(of: install, in: environment, &random) }
            for number in 0..<Int.random(in: 0...4, using: &random) {
                let trust = Bool.random(using: &random) ? Trust.attested : .unverified
                impressions.append(
                    Impression(
                        // Some are from before there was anything to be seen.
                        install: install,
                        time: Self.moment(&random) - Self.day * Int.random(in: 0...20, using: &random),
                        id: "impression-\(seed)-\(install)-\(number)", trust: trust,
                        isFromEdge: Int.random(in: 0..<4, using: &random) > 0,
                        environment: [nil, nil, .production, .sandbox].randomElement(using: &random) ?? nil,
                        skus: Bool.random(using: &random) ? [Self.annual] : [Self.monthly, Self.annual],
                        storefront: Bool.random(using: &random) ? "USA" : nil))
            }
        }
        for chain in 0..<Int.random(in: 1...4, using: &random) { addChain(chain, &random) }
    }

    /// The first one assigns.
    private mutating func addNamings(
        of install: Int, in environment: StoreEnvironment, _ random: inout SeededGenerator
    ) {
        var time = environment == .production ? Self.start : Self.moment(&random)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let naming = Naming(
                install: install, user: Int.random(in: 0..<4, using: &random), time: time, environment: environment,
                trust: Bool.random(using: &random) ? .attested : .unverified)
            namings.append(naming)
            time = max(Self.moment(&random), time + .seconds(1))
        }
    }

    /// Within 80 days, in whole hours: so that some things happen at one moment.
    private static func moment(_ random: inout SeededGenerator) -> Timestamp {
        start + .seconds(3_600) * Int.random(in: 0...(80 * 24), using: &random)
    }

    /// A chain with renewals, which goes from user to user, is paid back, and of which that is taken back.
    private mutating func addChain(_ number: Int, _ random: inout SeededGenerator) {
        let began = Self.moment(&random)
        var holders: [(user: Int, from: Timestamp)] = [(Int.random(in: 0..<4, using: &random), began)]
        while Int.random(in: 0..<10, using: &random) < 4, holders.count < 4, let last = holders.last {
            let next = Int.random(in: 0..<4, using: &random)
            if next != last.user {
                holders.append((next, last.from + Self.day * Int.random(in: 1...25, using: &random)))
            }
        }
        if Int.random(in: 0..<5, using: &random) == 0 { holders[0].from = began + Self.day * 40 }
        let (currency, family) = (
            [nil, "USD", "EUR", "USD"].randomElement(using: &random) ?? nil, Int.random(in: 0..<8, using: &random) == 0
        )
        let app = [nil, Self.app, Self.app, AppID(rawValue: "com.example.other")].randomElement(using: &random) ?? nil
        let environment: StoreEnvironment = Int.random(in: 0..<8, using: &random) == 0 ? .sandbox : .production
        for period in 0..<Int.random(in: 1...3, using: &random) {
            let transaction = TransactionID(rawValue: "transaction-\(number)-\(period)")
            var revisions: [Int: Int] = [:]
            for (index, holder) in holders.enumerated() {
                func tell(isHeld: Bool, lostAt: Timestamp?) {
                    revisions[holder.user, default: 0] += 1
                    var purchase = CustomerPurchase(
                        organisation: organisation, app: app, realm: .stores, environment: environment,
                        user: Self.user(holder.user), transaction: transaction,
                        originalTransaction: OriginalTransactionID(rawValue: "transaction-\(number)-0"),
                        product: Self.monthly, purchasedAt: began + Self.day * (30 * period), chainBeganAt: began,
                        rank: .verified, linkedAt: holder.from, isHeld: isHeld, lostAt: lostAt,
                        revision: revisions[holder.user] ?? 0)
                    purchase.priceMilliunits = 9_990 + Int64(number)
                    purchase.currency = currency
                    purchase.ownership = family ? "FAMILY_SHARED" : "PURCHASED"
                    purchases.append(purchase)
                }
                tell(isHeld: true, lostAt: nil)
                if index + 1 < holders.count { tell(isHeld: false, lostAt: holders[index + 1].from) }
            }
            for holder in Set(holders.map(\.user)).sorted() {
                for revision in 1...3 where Int.random(in: 0..<4, using: &random) == 0 {
                    refunds.append(
                        CustomerRefund(
                            organisation: organisation, app: app, realm: .stores, environment: environment,
                            user: Self.user(holder), transaction: transaction,
                            originalTransaction: OriginalTransactionID(rawValue: "transaction-\(number)-0"),
                            isRefunded: revision != 2, refundedAt: began + Self.day * 3,
                            percentage: Bool.random(using: &random) ? 33_333 : nil, revision: revision))
                }
            }
        }
    }

    // MARK: As messages

    /// What has to come first: the experiment, and each install's first fetch, and its first one with a token: an app has
    /// heard of its variant before it says that it has shown it.
    func beginning() throws -> [Letter] {
        let letters = [
            try Letter(
                ExperimentChanged(experiment: experiment), id: "experiment-\(organisation)", at: Self.start,
                from: .paywallExperiments)
        ]
        return try letters
            + namings.filter { isFirst($0) || isFirstAttested($0) }.sorted { $0.time < $1.time }.map(letter)
    }

    /// All else, in no order.
    func rest() throws -> [Letter] {
        var letters = try namings.filter { !isFirst($0) && !isFirstAttested($0) }.map(letter)
        for impression in impressions {
            letters.append(
                try Letter(
                    ImpressionRecord(
                        organisation: organisation, app: Self.app, install: Self.install(impression.install),
                        experiment: experiment.id, renderedSkus: impression.skus, storefront: impression.storefront,
                        environment: impression.environment, trust: impression.trust), id: impression.id,
                    at: impression.time, from: impression.isFromEdge ? .attestGateway : .eventIngest))
        }
        for (number, purchase) in purchases.enumerated() {
            letters.append(
                try Letter(
                    purchase, id: "purchase-\(organisation)-\(number)", at: Self.start, from: .entitlementResolver))
        }
        for (number, refund) in refunds.enumerated() {
            letters.append(
                try Letter(refund, id: "refund-\(organisation)-\(number)", at: Self.start, from: .entitlementResolver))
        }
        return letters
    }

    private func isFirst(_ naming: Naming) -> Bool {
        !namings.contains {
            $0.install == naming.install && $0.environment == naming.environment && $0.time < naming.time
        }
    }

    private func isFirstAttested(_ naming: Naming) -> Bool {
        naming.trust == .attested
            && !namings.contains {
                $0.install == naming.install && $0.environment == naming.environment && $0.time < naming.time
                    && $0.trust == .attested
            }
    }

    private func letter(_ naming: Naming) throws -> Letter {
        try Letter(
            PaywallResolve(
                organisation: organisation, app: Self.app, install: Self.install(naming.install),
                user: Self.user(naming.user), entitlement: experiment.entitlement,
                environment: naming.environment, trust: naming.trust),
            id: "naming-\(organisation)-\(naming.install)-\(naming.time)-\(naming.environment)", at: naming.time,
            from: .attestGateway)
    }
}
