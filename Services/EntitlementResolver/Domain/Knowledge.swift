package import Messages

/// What was known of a user at one moment, and what it amounts to for one entitlement in one app and environment.
///
/// It is built up from ``News``, so that each piece can be asked what it changed.
package struct Knowledge: Sendable {
    /// What it amounts to.
    package struct Standing: Hashable, Sendable {
        package var state: EntitlementState?
        /// When the entitlement is active, all in all.
        package var periods: [GrantPeriod]
        package var nextChange: Timestamp?

        package var isActive: Bool { state?.isActive == true }
    }

    package let entitlement: EntitlementID
    package let environment: StoreEnvironment
    package private(set) var app: AppRecord
    private var mappings: [ProductID: ProductMapping] = [:]
    /// The products that unlock the entitlement.
    private var unlocking: Set<ProductID> = []
    private var holdings: [ChainID: Holding]

    /// - Parameters:
    ///   - app: as it was first known, until news of it come.
    ///   - holdings: what was known before the news.
    package init(
        of entitlement: EntitlementID, in environment: StoreEnvironment, app: AppRecord, holdings: [Holding] = []
    ) {
        self.entitlement = entitlement
        self.environment = environment
        self.app = app
        self.holdings = Dictionary(holdings.map { ($0.chain, $0) }) { $1 }
    }

    /// What it amounts to, judged at `time`; the same until its ``Standing/nextChange``.
    package func standing(at time: Timestamp) -> Standing {
        // Somebody may have bought thousands of things that unlock something else, or nothing.
        let entitlements = Entitlements(
            of: holdings.values.filter { $0.hasAny(of: unlocking) }, for: app, in: environment,
            mapping: Dictionary(uniqueKeysWithValues: unlocking.map { ($0, [entitlement]) }))
        return Standing(
            state: entitlements.states(at: time).first, periods: entitlements.periods(of: entitlement),
            nextChange: entitlements.nextChange(after: time))
    }

    /// Whether news of this kind may change what it amounts to: they are of configuration, or of a chain with a product
    /// that unlocks the entitlement.
    package func concerns(_ news: News) -> Bool {
        guard let chain = news.chain else { return true }
        return holdings[chain]?.hasAny(of: unlocking) == true
    }

    /// Whether the chain was his, as far as was known.
    package func isHeld(_ chain: ChainID) -> Bool { holdings[chain]?.isHeld == true }

    /// What was known of a chain's future.
    package func renewals(of chain: ChainID, in environment: StoreEnvironment) -> [StoreRenewal] {
        holdings[chain]?.subscriptions.first { $0.subscription.environment == environment }?.subscription.renewals ?? []
    }

    /// Takes one piece in.
    package mutating func learn(_ news: News) {
        switch news.told {
        case .app(let record):
            if record.version >= app.version { app = record }
        case .mapping(let mapping):
            guard mapping.version >= mappings[mapping.product]?.version ?? 0 else { return }
            mappings[mapping.product] = mapping
            if mapping.entitlements.contains(entitlement) {
                unlocking.insert(mapping.product)
            } else {
                unlocking.remove(mapping.product)
            }
        case .link, .subscription, .transaction, .renewals:
            guard let chain = news.chain else { return }
            holdings[chain, default: Holding(chain: chain)].learn(news.told)
        }
    }
}

extension Holding {
    fileprivate func hasAny(of products: Set<ProductID>) -> Bool {
        subscriptions.contains { $0.subscription.transactions.contains { products.contains($0.product) } }
    }

    /// Takes in what is told of its chain.
    package mutating func learn(_ told: News.Told) {
        switch told {
        case .app, .mapping: break
        case .link(let link, _, let isOvertaken):
            if !isOvertaken { self.link = link }
        case .subscription(let environment, let revision, let rank):
            change(environment) { known in
                known.revision = revision
                known.rank = rank
            }
        case .transaction(let environment, let id, let transaction):
            change(environment) { known in
                let others = known.subscription.transactions.filter { $0.id != id }
                known.subscription = Subscription(
                    environment: environment, transactions: others + (transaction.map { [$0] } ?? []),
                    renewals: known.subscription.renewals)
            }
        case .renewals(let environment, let renewals):
            change(environment) { known in
                known.subscription = Subscription(
                    environment: environment, transactions: known.subscription.transactions, renewals: renewals)
            }
        }
    }

    private mutating func change(_ environment: StoreEnvironment, _ change: (inout SubscriptionNews) -> Void) {
        guard let index = subscriptions.firstIndex(where: { $0.subscription.environment == environment }) else {
            var known = SubscriptionNews(
                revision: 0, rank: .unverified, subscription: Subscription(environment: environment, transactions: []))
            change(&known)
            subscriptions.append(known)
            return
        }
        change(&subscriptions[index])
    }
}

extension Knowledge {
    /// Why news that did nothing did nothing.
    package func idleness(of news: News) -> TimelineEntry.Reason? {
        guard let chain = news.chain else { return nil }
        switch news.told {
        case .link(let link, _, let isOvertaken):
            if isOvertaken { return .overtaken }
            guard chain.realm == app.realm else { return .otherRealm }
            guard link.isHeld else { return nil }
            let transactions = holdings[chain]?.subscriptions.flatMap(\.subscription.transactions) ?? []
            guard !transactions.isEmpty else { return .noEvidence }
            let reasons = transactions.map { idleness(of: $0, in: chain) }
            // What would have granted, but for something else that did, says more than what never could.
            return reasons.first { $0 == .alreadyCovered } ?? reasons.last
        case .transaction(_, _, let transaction):
            return transaction.map { idleness(of: $0, in: chain) }
        case .renewals(let environment, _):
            if chain.realm != app.realm { return .otherRealm }
            return environment == self.environment ? nil : .otherEnvironment
        case .app, .mapping, .subscription: return nil
        }
    }

    private func idleness(of transaction: StoreTransaction, in chain: ChainID) -> TimelineEntry.Reason {
        if chain.realm != app.realm { return .otherRealm }
        if transaction.environment != environment || environment == .unknown { return .otherEnvironment }
        if !unlocking.contains(transaction.product) { return .productNotMapped }
        if transaction.productType == .consumable { return .consumable }
        guard let holding = holdings[chain], holding.isHeld else { return .notHeld }
        if holding.rank == .unverified && !app.unverifiedLinksGrant { return .linkUnverified }
        let grants = holding.subscriptions.lazy.flatMap(\.subscription.grants)
        if grants.contains(where: { $0.transaction.id == transaction.id }) { return .alreadyCovered }
        return transaction.isUpgraded == true ? .upgraded : .noPeriod
    }
}
