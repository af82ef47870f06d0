package import Messages

/// What a user's holdings unlock in one app and one environment.
package struct Entitlements: Sendable {
    /// A grant that is the user's, of which chain, and how well that is founded.
    package struct HeldGrant: Hashable, Sendable {
        package var grant: Grant
        package var chain: ChainID
        package var rank: ClaimRank
        /// What the store said of the chain's future; nil: nothing that still holds.
        package var outlook: StoreRenewal?

        fileprivate var period: GrantPeriod { grant.period }
    }

    /// Grants without a gap between them: seen from outside, one period.
    private struct Run {
        var period: GrantPeriod
        /// The grant that reaches to its end.
        var last: HeldGrant
    }

    private struct Entry {
        var entitlement: EntitlementID
        var grants: [HeldGrant]
        var runs: [Run]
    }

    private let environment: StoreEnvironment
    private let isTest: Bool
    private let entries: [Entry]

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
        var grants: [EntitlementID: [HeldGrant]] = [:]
        for holding in holdings where Self.counts(holding, for: app) && environment != .unknown {
            for news in holding.subscriptions where news.subscription.environment == environment {
                let outlook = news.subscription.outlook
                for grant in news.subscription.grants {
                    let held = HeldGrant(grant: grant, chain: holding.chain, rank: holding.rank, outlook: outlook)
                    for entitlement in mapping[grant.transaction.product] ?? [] {
                        grants[entitlement, default: []].append(held)
                    }
                }
            }
        }
        entries = grants.map { entitlement, grants in
            let sorted = grants.sorted { $0.period.start < $1.period.start }
            return Entry(entitlement: entitlement, grants: sorted, runs: Self.runs(of: sorted))
        }.sorted { $0.entitlement < $1.entitlement }
    }

    /// Evidence of a test app counts in that app alone, and that app takes no other; a link that nobody has verified
    /// counts only where the app says so.
    private static func counts(_ holding: Holding, for app: AppRecord) -> Bool {
        holding.isHeld && holding.chain.realm == app.realm && (holding.rank > .unverified || app.unverifiedLinksGrant)
    }

    /// All that ever unlocks an entitlement, by start.
    package func grants(of entitlement: EntitlementID) -> [HeldGrant] {
        entries.first { $0.entitlement == entitlement }?.grants ?? []
    }

    /// Each entitlement at `time`, by name. What ran out is there as inactive; what only begins later is not there.
    package func states(at time: Timestamp) -> [EntitlementState] {
        entries.compactMap { entry in
            if let run = entry.runs.first(where: { $0.period.contains(time) }) {
                let running = entry.grants.lazy.filter { $0.period.contains(time) }
                let deciding = running.max { Self.outlasts($1, $0) } ?? run.last
                return state(of: entry.entitlement, run, deciding, isActive: true)
            }
            guard let last = entry.runs.last(where: { $0.period.start <= time }) else { return nil }
            return state(of: entry.entitlement, last, last.last, isActive: false)
        }
    }

    /// The next time after `time` at which ``states(at:)`` may give something else; nil: never, as things stand.
    package func nextChange(after time: Timestamp) -> Timestamp? {
        entries.lazy.flatMap(\.grants).flatMap { [$0.period.start, $0.period.end].compactMap(\.self) }
            .filter { $0 > time }.min()
    }

    /// When an entitlement is active, all in all: without gaps between them, by start.
    package func periods(of entitlement: EntitlementID) -> [GrantPeriod] {
        entries.first { $0.entitlement == entitlement }?.runs.map(\.period) ?? []
    }

    private func state(
        of entitlement: EntitlementID, _ run: Run, _ deciding: HeldGrant, isActive: Bool
    ) -> EntitlementState {
        let (grant, outlook) = (deciding.grant, deciding.outlook)
        return EntitlementState(
            entitlement: entitlement, environment: environment, isActive: isActive,
            since: isActive ? run.period.start : nil, until: run.period.end, transaction: grant.transaction.id,
            product: grant.transaction.product, trust: deciding.rank.trust, isTest: isTest,
            reason: isActive ? grant.reason : grant.endedBy, willRenew: outlook?.willRenew,
            renewsAs: outlook?.willRenew == true ? outlook?.nextProduct : nil)
    }

    /// Merges what overlaps or touches; by start.
    private static func runs(of grants: [HeldGrant]) -> [Run] {
        var runs: [Run] = []
        for grant in grants {
            guard let last = runs.last, grant.period.start <= last.period.end ?? .distantFuture else {
                runs.append(Run(period: grant.period, last: grant))
                continue
            }
            if outlasts(grant, last.last) {
                runs[runs.count - 1] = Run(
                    period: GrantPeriod(start: last.period.start, end: grant.period.end), last: grant)
            }
        }
        return runs
    }

    /// Whether `left` reaches further; between equals the stronger link decides, then the later purchase, then the id.
    private static func outlasts(_ left: HeldGrant, _ right: HeldGrant) -> Bool {
        let (leftEnd, rightEnd) = (left.period.end ?? .distantFuture, right.period.end ?? .distantFuture)
        if leftEnd != rightEnd { return leftEnd > rightEnd }
        if left.rank != right.rank { return left.rank > right.rank }
        let (mine, theirs) = (left.grant.transaction, right.grant.transaction)
        if mine.purchasedAt != theirs.purchasedAt { return mine.purchasedAt > theirs.purchasedAt }
        return theirs.id < mine.id
    }
}
