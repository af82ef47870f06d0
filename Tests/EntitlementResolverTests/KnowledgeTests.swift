import Messages
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("What is known of a user, as it grows")
struct KnowledgeTests {
    /// What is known, kept in the plainest way.
    private struct Plain {
        var app: AppRecord
        var unlocking: Set<ProductID> = []
        var links: [ChainID: EntitlementResolver.Holding.LinkNews] = [:]
        var heads: [ChainID: [StoreEnvironment: (revision: Int, rank: ClaimRank)]] = [:]
        var transactions: [ChainID: [StoreEnvironment: [TransactionID: StoreTransaction]]] = [:]
        var renewals: [ChainID: [StoreEnvironment: [StoreRenewal]]] = [:]

        mutating func learn(_ news: News) {
            let chain = news.chain ?? ChainID(.demo, .stores, .first)
            switch news.told {
            case .app(let record): app = record
            case .mapping(let mapping):
                unlocking.remove(mapping.product)
                if mapping.entitlements.contains(.pro) { unlocking.insert(mapping.product) }
            case .link(let link, _, let isOvertaken): if !isOvertaken { links[chain] = link }
            case .subscription(let environment, let revision, let rank):
                heads[chain, default: [:]][environment] = (revision, rank)
            case .transaction(let environment, let id, let transaction):
                transactions[chain, default: [:]][environment, default: [:]][id] = transaction
            case .renewals(let environment, let told): renewals[chain, default: [:]][environment] = told
            }
        }

        var rules: PlainRules {
            let chains = Set(links.keys).union(heads.keys).union(transactions.keys).union(renewals.keys)
            let holdings = chains.map { chain in
                let environments = Set((heads[chain] ?? [:]).keys).union((transactions[chain] ?? [:]).keys)
                    .union((renewals[chain] ?? [:]).keys)
                return EntitlementResolver.Holding(
                    chain: chain, link: links[chain],
                    subscriptions: environments.map { environment in
                        let head = heads[chain]?[environment] ?? (0, .unverified)
                        return .init(
                            revision: head.revision, rank: head.rank,
                            subscription: EntitlementResolver.Subscription(
                                environment: environment,
                                transactions: Array((transactions[chain]?[environment] ?? [:]).values),
                                renewals: renewals[chain]?[environment] ?? []))
                    })
            }
            return PlainRules(of: holdings, for: app, in: .production, unlocking: unlocking, .pro)
        }
    }

    /// News in which much falls on the same day, so that everything meets everything.
    private struct Rumours {
        var random: SeededGenerator
        var version = 1

        mutating func day() -> Timestamp { .day(Double(Int.random(in: -12...12, using: &random))) }

        mutating func flip(_ chances: Int = 2) -> Bool { Int.random(in: 0..<chances, using: &random) == 0 }

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }

        mutating func next() -> News {
            version += 1
            let chain = ChainID(
                .demo, flip(8) ? Realm(.testTunes) : .stores, OriginalTransactionID(rawValue: pick(["1", "2", "3"])))
            let environment: StoreEnvironment = flip(6) ? .sandbox : .production
            let rank = pick([ClaimRank.unverified, .attested, .verified])
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                return News(
                    .app(.record(unverifiedLinksGrant: flip(), version: version)), of: nil, knownAt: .noon)
            case 1, 2:
                return News(
                    .mapping(
                        ProductMapping(
                            organisation: .demo, app: .tunes, product: pick([.monthly, .lifetime, .coins]),
                            entitlements: flip(3) ? [] : [.pro], version: version, changedAt: .noon)),
                    of: nil, knownAt: .noon)
            case 3, 4:
                let link = EntitlementResolver.Holding.LinkNews(
                    revision: version, isHeld: !flip(3), rank: rank, since: .noon)
                return News(.link(link, reason: nil, isOvertaken: flip(5)), of: chain, knownAt: .noon)
            case 5, 6:
                return News(.subscription(environment, revision: version, rank: rank), of: chain, knownAt: .noon)
            case 7, 8, 9:
                let renewals = (0..<Int.random(in: 0..<5, using: &random)).map { _ in renewal(environment) }
                return News(
                    .renewals(environment, renewals.sorted { $0.signedAt < $1.signedAt }), of: chain, knownAt: .noon)
            default:
                let id = TransactionID(rawValue: "\(chain.original)-\(Int.random(in: 0..<6, using: &random))")
                return News(
                    .transaction(environment, id, flip(6) ? nil : transaction(id, chain.original, environment)),
                    of: chain, knownAt: .noon)
            }
        }

        private mutating func transaction(
            _ id: TransactionID, _ original: OriginalTransactionID, _ environment: StoreEnvironment
        ) -> StoreTransaction {
            var transaction = StoreTransaction(
                id: id, originalID: original, product: pick([.monthly, .monthly, .lifetime, .coins]),
                productType: pick([.autoRenewable, .autoRenewable, .nonConsumable, .nonRenewing, .consumable, nil]),
                environment: environment, purchasedAt: day(), expiresAt: flip(5) ? nil : day(),
                revokedAt: flip(4) ? day() : nil, signedAt: day())
            if flip(5) { transaction.isUpgraded = true }
            if flip(5) { transaction.ownership = "FAMILY_SHARED" }
            if flip(5) { transaction.revocationType = "REFUND_FULL" }
            return transaction
        }

        private mutating func renewal(_ environment: StoreEnvironment) -> StoreRenewal {
            var renewal = StoreRenewal(originalID: .first, environment: environment, signedAt: day())
            renewal.renewsAt = flip(5) ? nil : day()
            renewal.graceExpiresAt = flip(3) ? nil : day()
            renewal.expirationIntent = pick([nil, 1, 2, 3])
            renewal.willRenew = flip()
            renewal.nextProduct = .lifetime
            return renewal
        }
    }

    @Test("Whatever comes, it amounts to what a look at all of it anew says", arguments: 1...24 as ClosedRange<UInt64>)
    func asAnew(seed: UInt64) {
        var rumours = Rumours(random: SeededGenerator(seed: seed))
        var knowledge = Knowledge(of: .pro, in: .production, app: .record())
        var plain = Plain(app: .record())
        for number in 1...120 {
            let news = rumours.next()
            let time = rumours.day()
            let before = knowledge.upshot(at: time)

            let isConcerned = knowledge.learn(news)
            plain.learn(news)

            let after = knowledge.upshot(at: time)
            #expect(after == plain.rules.upshot(at: time), "seed \(seed), piece \(number): \(news)")
            if !isConcerned { #expect(after == before, "seed \(seed), piece \(number) did something: \(news)") }
        }
    }
}
