package import Messages

/// What a user's holdings unlock in one app and one environment.
package struct Entitlements: Sendable {
    /// A transaction that unlocks something for a while, and how well it is tied to the user.
    private struct Grant {
        var period: GrantPeriod
        var transaction: StoreTransaction
        var rank: ClaimRank
    }

    /// Grants without a gap between them: seen from outside, one period.
    private struct Run {
        var period: GrantPeriod
        /// The grant that reaches to its end.
        var deciding: Grant
    }

    private let environment: StoreEnvironment
    private let isTest: Bool
    private let runs: [(entitlement: EntitlementID, runs: [Run])]

    /// - Parameters:
    ///   - holdings: of one user, whatever their realm.
    ///   - app: the app that asks; its settings decide which links count.
    ///   - mapping: what that app's products unlock.
    package init(
        of holdings: [Holding], for app: AppRecord, in environment: StoreEnvironment,
        mapping: [ProductID: [EntitlementID]]
    ) {
        self.environment = environment
        isTest = app.isTest
        var grants: [EntitlementID: [Grant]] = [:]
        for holding in holdings where Self.counts(holding, for: app) && environment != .unknown {
            for news in holding.subscriptions where news.subscription.environment == environment {
                for transaction in news.subscription.transactions {
                    guard let period = transaction.grantPeriod else { continue }
                    let grant = Grant(period: period, transaction: transaction, rank: holding.rank)
                    for entitlement in mapping[transaction.product] ?? [] {
                        grants[entitlement, default: []].append(grant)
                    }
                }
            }
        }
        runs = grants.map { (entitlement: $0.key, runs: Self.runs(of: $0.value)) }
            .sorted { $0.entitlement < $1.entitlement }
    }

    /// Evidence of a test app counts in that app alone, and that app takes no other; a link that nobody has verified
    /// counts only where the app says so.
    private static func counts(_ holding: Holding, for app: AppRecord) -> Bool {
        holding.isHeld && holding.chain.realm == app.realm && (holding.rank > .unverified || app.unverifiedLinksGrant)
    }

    /// Each entitlement at `time`, by name. What ran out is there as inactive; what only begins later is not there.
    package func states(at time: Timestamp) -> [EntitlementState] {
        runs.compactMap { entitlement, runs in
            if let run = runs.first(where: { $0.period.contains(time) }) {
                return state(of: entitlement, run, isActive: true)
            }
            guard let last = runs.last(where: { $0.period.start <= time }) else { return nil }
            return state(of: entitlement, last, isActive: false)
        }
    }

    /// The next time after `time` at which ``states(at:)`` gives something else; nil: never, as things stand.
    package func nextChange(after time: Timestamp) -> Timestamp? {
        runs.lazy.flatMap(\.runs).flatMap { [$0.period.start, $0.period.end].compactMap(\.self) }
            .filter { $0 > time }.min()
    }

    private func state(of entitlement: EntitlementID, _ run: Run, isActive: Bool) -> EntitlementState {
        EntitlementState(
            entitlement: entitlement, environment: environment, isActive: isActive,
            since: isActive ? run.period.start : nil, until: run.period.end, transaction: run.deciding.transaction.id,
            product: run.deciding.transaction.product, trust: run.deciding.rank.trust, isTest: isTest)
    }

    /// Merges what overlaps or touches; by start.
    private static func runs(of grants: [Grant]) -> [Run] {
        var runs: [Run] = []
        for grant in grants.sorted(by: { $0.period.start < $1.period.start }) {
            guard let last = runs.last, grant.period.start <= last.period.end ?? .distantFuture else {
                runs.append(Run(period: grant.period, deciding: grant))
                continue
            }
            if outlasts(grant, last.deciding) {
                runs[runs.count - 1] = Run(
                    period: GrantPeriod(start: last.period.start, end: grant.period.end), deciding: grant)
            }
        }
        return runs
    }

    /// Whether `left` reaches further; between equals the stronger link decides, then the later purchase, then the id.
    private static func outlasts(_ left: Grant, _ right: Grant) -> Bool {
        let (leftEnd, rightEnd) = (left.period.end ?? .distantFuture, right.period.end ?? .distantFuture)
        if leftEnd != rightEnd { return leftEnd > rightEnd }
        if left.rank != right.rank { return left.rank > right.rank }
        if left.transaction.purchasedAt != right.transaction.purchasedAt {
            return left.transaction.purchasedAt > right.transaction.purchasedAt
        }
        return right.transaction.id < left.transaction.id
    }
}
