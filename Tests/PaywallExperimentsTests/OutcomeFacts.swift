import Messages
import TestSupport

@testable import PaywallExperiments

/// All that has really happened to the installs and users of one app, and what of it must come out: counted from the whole
/// set at once, as simply as can be.
struct OutcomeFacts {
    struct Naming { var (install, user, time): (Int, Int, Timestamp) }
    struct Impression {
        var (install, time, id): (Int, Timestamp, String)
        var trust: Trust
        var skus: [ProductID]
        var storefront: String?
    }

    static let app = AppID(rawValue: "com.example.tunes")
    static let (monthly, annual) = (ProductID(rawValue: "monthly"), ProductID(rawValue: "annual"))
    static let (start, day) = (Timestamp(clamping: 1_800_000_000_000), Duration.seconds(86_400))

    let organisation: OrganisationID
    let experiment: Experiment
    var namings: [Naming] = []
    var impressions: [Impression] = []
    var purchases: [CustomerPurchase] = []
    var refunds: [CustomerRefund] = []
    /// To what each install is assigned; without those that take no part.
    var variants: [Int: VariantKey] = [:]

    static func install(_ number: Int) -> InstallID { InstallID(rawValue: "install-\(number)") }
    static func user(_ number: Int) -> AppUserID { AppUserID(rawValue: "user-\(number)") }

    // MARK: What must come out

    struct Exposure {
        var (install, time, trust): (Int, Timestamp, Trust)
    }

    /// By the first impression of each install that is assigned.
    var exposures: [Exposure] {
        Dictionary(grouping: impressions.filter { variants[$0.install] != nil }, by: \.install).values
            .compactMap { $0.min { ($0.time, $0.trust, $0.id) < ($1.time, $1.trust, $1.id) } }
            .map { Exposure(install: $0.install, time: $0.time, trust: $0.trust) }
    }

    /// A purchase as it counts for an install.
    struct Outcome {
        var (install, time): (Int, Timestamp)
        var isFirst: Bool
        var (currency, paid, refunded): (String?, Int64, Int64)
        var isWhollyRefunded: Bool
        var isRefunded: Bool
    }

    /// Of each transaction its holder's, for the last exposure before the chain began, of each trust.
    var outcomes: [Outcome] {
        let stories = Dictionary(grouping: purchases) { "\($0.user) \($0.transaction)" }
        return stories.values.flatMap { story -> [Outcome] in
            guard let newest = story.max(by: { $0.revision < $1.revision }), newest.ownership != "FAMILY_SHARED",
                newest.environment == .production, newest.app == nil || newest.app == Self.app
            else { return [] }
            let end = newest.chainBeganAt + Self.day * 30
            let wasHis = story.contains {
                // He has it and got it in time, or lost it only when it was too late to matter.
                $0.linkedAt <= end && ($0.isHeld ? $0.revision == newest.revision : ($0.lostAt ?? $0.linkedAt) > end)
            }
            guard wasHis else { return [] }
            let refund = refunds.filter { $0.user == newest.user && $0.transaction == newest.transaction }
                .max { $0.revision < $1.revision }
            let share = refund.map { $0.isRefunded ? $0.percentage ?? 100_000 : 0 } ?? 0
            return [Trust.attested, .unverified].compactMap { trust in
                let seen = exposures.filter { exposure in
                    exposure.trust == trust && exposure.time <= newest.chainBeganAt
                        && namings.contains { $0.install == exposure.install && Self.user($0.user) == newest.user }
                }
                guard
                    let last = seen.max(by: {
                        ($0.time, Self.install($1.install)) < ($1.time, Self.install($0.install))
                    })
                else { return nil }
                let paid = newest.currency == nil ? 0 : newest.priceMilliunits ?? 0
                return Outcome(
                    install: last.install, time: newest.purchasedAt,
                    isFirst: newest.purchasedAt <= newest.chainBeganAt, currency: newest.currency, paid: paid,
                    refunded: paid * share / 100_000, isWhollyRefunded: share == 100_000, isRefunded: share > 0)
            }
        }
    }

    /// What the partitions' answers must add up to, renderings and users of several variants excepted.
    func tally(at time: Timestamp, window: Duration) -> (
        counts: [ExperimentTally.Count], revenue: [ExperimentTally.Revenue]
    ) {
        var counts: [ExperimentTally.Stratum: ExperimentTally.Count] = [:]
        var revenue: [String: ExperimentTally.Revenue] = [:]
        func add(_ stratum: ExperimentTally.Stratum, _ change: (inout ExperimentTally.Count) -> Void) {
            change(&counts[stratum, default: .init(stratum: stratum)])
        }
        func stratum(_ install: Int, _ trust: Trust) -> ExperimentTally.Stratum? {
            variants[install].map { .init(epoch: 1, variant: $0, environment: .production, trust: trust) }
        }
        for install in variants.keys { if let all = stratum(install, .attested) { add(all) { $0.assigned += 1 } } }
        let outcomes = Dictionary(grouping: self.outcomes, by: \.install)
        for exposure in exposures {
            guard let stratum = stratum(exposure.install, exposure.trust) else { continue }
            let his = outcomes[exposure.install] ?? []
            let bought = his.filter { $0.isFirst && !$0.isWhollyRefunded }.map(\.time).min()
            let isMature = exposure.time + window <= time
            add(stratum) {
                $0.exposed += 1
                $0.converted += bought == nil ? 0 : 1
                $0.matured += isMature ? 1 : 0
                $0.maturedConverted += isMature && bought.map { $0 <= exposure.time + window } ?? false ? 1 : 0
                $0.refunds += his.count { $0.isRefunded }
                $0.unpriced += his.count { $0.currency == nil }
            }
            for (currency, paid) in Dictionary(grouping: his.filter { $0.currency != nil }, by: { $0.currency ?? "" }) {
                let inTime = paid.filter { isMature && $0.time <= exposure.time + window }
                let net = inTime.reduce(0) { $0 + $1.paid - $1.refunded }
                let place = "\(stratum) \(currency)"
                var sum =
                    revenue[place]
                    ?? .init(
                        stratum: stratum, currency: currency, paid: 0, refunded: 0, matured: 0, maturedSquares: 0,
                        maturedPayers: 0)
                sum.add(
                    .init(
                        stratum: stratum, currency: currency, paid: paid.reduce(0) { $0 + $1.paid },
                        refunded: paid.reduce(0) { $0 + $1.refunded }, matured: net,
                        maturedSquares: Double(net) * Double(net), maturedPayers: net > 0 ? 1 : 0))
                revenue[place] = sum
            }
        }
        return (
            counts.values.sorted { $0.stratum < $1.stratum },
            revenue.values.sorted { ($0.stratum, $0.currency) < ($1.stratum, $1.currency) }
        )
    }
}
