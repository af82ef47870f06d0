import Messages

@testable import EntitlementResolver

/// What a user's holdings unlock, by the same rules, as it is written down without a thought of what it costs: everything
/// is looked at anew for everything. What serves users has to say the same.
struct PlainRules {
    struct Held {
        var grant: Grant
        var rank: ClaimRank
        var outlook: StoreRenewal?
    }

    private let held: [Held]
    private let entitlement: EntitlementID
    private let environment: StoreEnvironment
    private let isTest: Bool

    init(
        of holdings: [Holding], for app: AppRecord, in environment: StoreEnvironment, unlocking: Set<ProductID>,
        _ entitlement: EntitlementID
    ) {
        self.entitlement = entitlement
        self.environment = environment
        isTest = app.isTest
        var held: [Held] = []
        for holding in holdings
        where holding.isHeld && holding.chain.realm == app.realm && environment != .unknown
            && (holding.rank > .unverified || app.unverifiedLinksGrant)
        {
            for news in holding.subscriptions where news.subscription.environment == environment {
                for grant in Self.grants(of: news.subscription) where unlocking.contains(grant.transaction.product) {
                    held.append(Held(grant: grant, rank: holding.rank, outlook: news.subscription.outlook))
                }
            }
        }
        self.held = held
    }

    // MARK: Grants

    static func grants(of subscription: EntitlementResolver.Subscription) -> [Grant] {
        let transactions = subscription.transactions
        var grants: [Grant] = transactions.indices.compactMap { index in
            let next = index + 1 < transactions.count ? transactions[index + 1] : nil
            return transactions[index].term(before: next).map {
                Grant(transaction: transactions[index], period: $0.period, reason: $0.reason, endedBy: $0.endedBy)
            }
        }
        grants += graces(of: subscription, after: grants)
        grants.sort { left, right in
            left.period.start != right.period.start
                ? left.period.start < right.period.start : left.transaction.id < right.transaction.id
        }
        let last = grants.compactMap(\.period.end).max()
        let isOver = grants.allSatisfy { $0.period.end != nil }
        return grants.map { grant in
            guard grant.endedBy == .expired, let end = grant.period.end else { return grant }
            var named = grant
            if grants.contains(where: {
                $0.period.start == end && $0.transaction.product != grant.transaction.product
            }) {
                named.endedBy = .switched
            } else if isOver && end == last {
                named.endedBy = subscription.outlook?.reasonOfEnd ?? .expired
            }
            return named
        }
    }

    private static func graces(of subscription: EntitlementResolver.Subscription, after grants: [Grant]) -> [Grant] {
        var graces: [TransactionID: Grant] = [:]
        for renewal in subscription.renewals {
            guard let until = renewal.graceExpiresAt else { continue }
            let full = grants.filter { $0.period.end != nil && $0.period.end == $0.transaction.expiresAt }
            let recent = full.filter {
                guard let end = $0.period.end else { return false }
                return end < until && end >= until - .seconds(28 * 86_400)
            }
            let newest = recent.compactMap(\.period.end).max()
            guard
                let prolonged = full.last(where: { $0.period.end == renewal.renewsAt })
                    ?? recent.last(where: { $0.period.end == newest }), let start = prolonged.period.end,
                let index = subscription.transactions.firstIndex(of: prolonged.transaction)
            else { continue }
            let told = subscription.renewals.filter { $0.ends(renewal) }.map(\.signedAt).min()
            let next = subscription.transactions.dropFirst(index + 1).first?.purchasedAt
            let end = [until, told, next].compactMap(\.self).min() ?? until
            guard end > graces[prolonged.transaction.id]?.period.end ?? start else { continue }
            graces[prolonged.transaction.id] = Grant(
                transaction: prolonged.transaction, period: GrantPeriod(start: start, end: end), reason: .gracePeriod,
                endedBy: .expired)
        }
        return Array(graces.values)
    }

    // MARK: What they amount to

    /// By start, without gaps between them, each with the grant that reaches to its end.
    private var runs: [(period: GrantPeriod, last: Held)] {
        var runs: [(period: GrantPeriod, last: Held)] = []
        for held in held.sorted(by: { $0.grant.period.start < $1.grant.period.start }) {
            guard let last = runs.last, held.grant.period.start <= last.period.end ?? .distantFuture else {
                runs.append((held.grant.period, held))
                continue
            }
            guard Self.outlasts(held, last.last) else { continue }
            runs[runs.count - 1] = (GrantPeriod(start: last.period.start, end: held.grant.period.end), held)
        }
        return runs
    }

    func upshot(at time: Timestamp) -> Knowledge.Upshot {
        let changes = held.flatMap { [$0.grant.period.start, $0.grant.period.end].compactMap(\.self) }
        return Knowledge.Upshot(
            state: state(at: time), periods: runs.map(\.period), nextChange: changes.filter { $0 > time }.min())
    }

    private func state(at time: Timestamp) -> EntitlementState? {
        if let run = runs.first(where: { $0.period.contains(time) }) {
            let running = held.filter { $0.grant.period.contains(time) }
            return state(run.period, running.max { Self.outlasts($1, $0) } ?? run.last, isActive: true)
        }
        return runs.last { $0.period.start <= time }.map { state($0.period, $0.last, isActive: false) }
    }

    private func state(_ period: GrantPeriod, _ deciding: Held, isActive: Bool) -> EntitlementState {
        let (grant, outlook) = (deciding.grant, deciding.outlook)
        return EntitlementState(
            entitlement: entitlement, environment: environment, isActive: isActive,
            since: isActive ? period.start : nil, until: period.end, transaction: grant.transaction.id,
            product: grant.transaction.product, trust: deciding.rank.trust, isTest: isTest,
            reason: isActive ? grant.reason : grant.endedBy, willRenew: outlook?.willRenew,
            renewsAs: outlook?.willRenew == true ? outlook?.nextProduct : nil)
    }

    private static func outlasts(_ left: Held, _ right: Held) -> Bool {
        let (end, other) = (left.grant.period.end ?? .distantFuture, right.grant.period.end ?? .distantFuture)
        if end != other { return end > other }
        if left.rank != right.rank { return left.rank > right.rank }
        let (mine, theirs) = (left.grant.transaction, right.grant.transaction)
        if mine.purchasedAt != theirs.purchasedAt { return mine.purchasedAt > theirs.purchasedAt }
        return theirs.id < mine.id
    }
}
