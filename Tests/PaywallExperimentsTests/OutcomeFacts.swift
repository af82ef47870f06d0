import Messages
import TestSupport

@testable import PaywallExperiments

/// All that has really happened to the installs and users of one app, and what of it must come out: counted from the whole
/// set at once, as simply as can be.
struct OutcomeFacts {
    /// A fetch.
    struct Naming {
        var (install, user, time): (Int, Int, Timestamp)
        var environment = StoreEnvironment.production
        var trust = Trust.attested
    }
    struct Impression {
        var (install, time, id): (Int, Timestamp, String)
        /// As it says.
        var trust: Trust
        /// Otherwise its word on trust is not taken.
        var isFromEdge: Bool
        /// Nil: it does not say.
        var environment: StoreEnvironment?
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

    /// An install in an environment: what is done in one has nothing to do with the other.
    struct Holder: Hashable {
        var install: Int
        var environment: StoreEnvironment
    }

    struct Exposure {
        var (holder, time, trust): (Holder, Timestamp, Trust)
        /// When anybody told of one first.
        var seen: Timestamp
    }

    /// When each was assigned, and whether a genuine app has ever asked; without those that take no part.
    var assignments: [Holder: (time: Timestamp, trust: Trust)] {
        Dictionary(grouping: namings.filter { variants[$0.install] != nil }) {
            Holder(install: $0.install, environment: $0.environment)
        }.compactMapValues { fetches in
            guard let first = fetches.map(\.time).min() else { return nil }
            return (first, fetches.contains { $0.trust == .attested } ? .attested : .unverified)
        }
    }

    /// By the first attested impression of each holder; if there is none, by the first.
    var exposures: [Exposure] {
        let assignments = assignments
        let seen = impressions.compactMap { impression -> Exposure? in
            let all = assignments.filter { $0.key.install == impression.install }
            let isAttested = impression.isFromEdge && impression.trust == .attested
            let genuine = isAttested ? all.filter { $0.value.trust == .attested } : [:]
            let his = genuine.isEmpty ? all : genuine
            // Without a word on it: where it was assigned last until then.
            let last = his.filter { $0.value.time <= impression.time }.max { $0.value.time < $1.value.time }
            let environment =
                impression.environment ?? (last ?? his.min { $0.value.time < $1.value.time })?.key.environment
            guard let environment else { return nil }
            let holder = Holder(install: impression.install, environment: environment)
            guard let assigned = all[holder]?.time else { return nil }
            return Exposure(
                holder: holder, time: max(impression.time, assigned), trust: isAttested ? .attested : .unverified,
                seen: max(impression.time, assigned))
        }
        return Dictionary(grouping: seen, by: \.holder).values.compactMap { ofOne in
            let attested = ofOne.filter { $0.trust == .attested }
            var best = (attested.isEmpty ? ofOne : attested).min { $0.time < $1.time }
            if let first = ofOne.map(\.time).min() { best?.seen = first }
            return best
        }
    }

    /// A purchase as it counts for an install.
    struct Outcome {
        var (holder, time): (Holder, Timestamp)
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
                newest.app == nil || newest.app == Self.app
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
                let seen = exposures.compactMap { exposure -> Exposure? in
                    let his = namings.filter {
                        $0.install == exposure.holder.install && $0.environment == newest.environment
                            && Self.user($0.user) == newest.user
                    }
                    guard exposure.holder.environment == newest.environment, !his.isEmpty else { return nil }
                    var told = exposure
                    // Of whom no attested caller has named it is what anybody may say.
                    if !his.contains(where: { $0.trust == .attested }) {
                        (told.trust, told.time) = (.unverified, exposure.seen)
                    }
                    return told.trust == trust && told.time <= newest.chainBeganAt ? told : nil
                }
                guard
                    let last = seen.max(by: {
                        ($0.time, Self.install($1.holder.install)) < ($1.time, Self.install($0.holder.install))
                    })
                else { return nil }
                // And counts for nothing where an attested caller has seen it.
                guard exposures.contains(where: { $0.holder == last.holder && $0.trust == last.trust }) else {
                    return nil
                }
                let paid = newest.currency == nil ? 0 : newest.priceMilliunits ?? 0
                return Outcome(
                    holder: last.holder, time: newest.purchasedAt,
                    isFirst: newest.purchasedAt <= newest.chainBeganAt, currency: newest.currency, paid: paid,
                    refunded: paid * share / 100_000, isWhollyRefunded: share == 100_000, isRefunded: share > 0)
            }
        }
    }

    /// How many users installs have named that have seen it, and how many of them such of several variants.
    var audience: [ExperimentTally.Audience] {
        var audience: [ExperimentTally.Audience] = []
        for (environment, ofOne) in Dictionary(grouping: exposures, by: \.holder.environment) {
            var seen: [Trust: [Int: Set<VariantKey>]] = [:]
            for exposure in ofOne {
                let his = namings.filter { $0.install == exposure.holder.install && $0.environment == environment }
                for (user, all) in Dictionary(grouping: his, by: \.user) {
                    guard let variant = variants[exposure.holder.install] else { continue }
                    let isGenuine = all.contains { $0.trust == .attested }
                    seen[isGenuine ? exposure.trust : .unverified, default: [:]][user, default: []].insert(variant)
                }
            }
            audience += seen.map { trust, users in
                .init(
                    environment: environment, trust: trust, users: users.count,
                    ofSeveralVariants: users.values.count { $0.count > 1 })
            }
        }
        return audience.sorted { ($0.environment, $0.trust) < ($1.environment, $1.trust) }
    }

    /// What the partitions' answers must add up to, renderings and users excepted.
    func tally(at time: Timestamp, window: Duration) -> (
        counts: [ExperimentTally.Count], revenue: [ExperimentTally.Revenue]
    ) {
        var counts: [ExperimentTally.Stratum: ExperimentTally.Count] = [:]
        var revenue: [String: ExperimentTally.Revenue] = [:]
        func add(_ stratum: ExperimentTally.Stratum, _ change: (inout ExperimentTally.Count) -> Void) {
            change(&counts[stratum, default: .init(stratum: stratum)])
        }
        func stratum(_ holder: Holder, _ trust: Trust) -> ExperimentTally.Stratum? {
            variants[holder.install].map { .init(epoch: 1, variant: $0, environment: holder.environment, trust: trust) }
        }
        for (holder, assignment) in assignments {
            if let all = stratum(holder, assignment.trust) { add(all) { $0.assigned += 1 } }
        }
        let outcomes = Dictionary(grouping: self.outcomes, by: \.holder)
        for exposure in exposures {
            guard let stratum = stratum(exposure.holder, exposure.trust) else { continue }
            let his = outcomes[exposure.holder] ?? []
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
