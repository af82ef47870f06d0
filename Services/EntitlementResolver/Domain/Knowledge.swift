package import Messages

/// What was known of a user at one moment, and what it amounts to for one entitlement in one app and environment.
///
/// It is built up from ``News``, so that each piece can be asked what it changed: a piece costs what it touches, and a
/// look at when the entitlement is unlocked, not at what all of it says anew.
package struct Knowledge: Sendable {
    /// What it amounts to.
    package struct Upshot: Hashable, Sendable {
        package var state: EntitlementState?
        /// When the entitlement is active, all in all.
        package var periods: [GrantPeriod]
        package var nextChange: Timestamp?

        package var isActive: Bool { state?.isActive == true }
    }

    /// What was known of a chain.
    private struct Known: Sendable {
        var holding: Holding
        /// Of the environment that is asked about; nil: nothing in it ever unlocked the entitlement.
        var book: GrantBook?

        mutating func open(in environment: StoreEnvironment) {
            book = holding.subscription(in: environment).map(GrantBook.init)
        }
    }

    package let entitlement: EntitlementID
    package let environment: StoreEnvironment
    package private(set) var app: AppRecord
    private var mappings: [ProductID: ProductMapping] = [:]
    /// The products that unlock the entitlement.
    private var unlocking: Set<ProductID> = []
    private var known: [Known]
    private var places: [ChainID: Int]
    /// Its books are numbered as ``known``.
    private var coverage = Coverage(of: [])

    /// - Parameters:
    ///   - app: as it was first known, until news of it come.
    ///   - holdings: what was known before the news; one of each chain.
    package init(
        of entitlement: EntitlementID, in environment: StoreEnvironment, app: AppRecord, holdings: [Holding] = []
    ) {
        self.entitlement = entitlement
        self.environment = environment
        self.app = app
        known = holdings.map { Known(holding: $0) }
        places = Dictionary(zip(holdings.map(\.chain), holdings.indices)) { $1 }
    }

    /// What it amounts to, judged at `time`; the same until its ``Upshot/nextChange``.
    package func upshot(at time: Timestamp) -> Upshot {
        Upshot(
            state: coverage.state(of: entitlement, at: time, in: environment, isTest: app.isTest) { book(of: $0) },
            periods: coverage.periods, nextChange: coverage.nextChange(after: time))
    }

    /// Whether the chain was his, as far as was known.
    package func isHeld(_ chain: ChainID) -> Bool { holding(of: chain)?.isHeld == true }

    /// What was known of a chain's future.
    package func renewals(of chain: ChainID, in environment: StoreEnvironment) -> [StoreRenewal] {
        holding(of: chain)?.subscription(in: environment)?.renewals ?? []
    }

    private func holding(of chain: ChainID) -> Holding? { places[chain].map { known[$0].holding } }

    private func book(of number: Int) -> GrantBook {
        known[number].book ?? GrantBook(of: Subscription(environment: environment, transactions: []))
    }

    // MARK: What comes

    /// Takes one piece in.
    ///
    /// - Returns: whether it may change what it amounts to.
    @discardableResult
    package mutating func learn(_ news: News) -> Bool {
        switch news.told {
        case .app(let record):
            guard record.version >= app.version else { return false }
            app = record
            coverAll()
            return true
        case .mapping(let mapping):
            guard mapping.version >= mappings[mapping.product]?.version ?? 0 else { return false }
            mappings[mapping.product] = mapping
            let unlocks = mapping.entitlements.contains(entitlement)
            guard unlocks != unlocking.contains(mapping.product) else { return false }
            if unlocks { unlocking.insert(mapping.product) } else { unlocking.remove(mapping.product) }
            coverAll()
            return true
        case .link, .subscription, .transaction, .renewals:
            guard let chain = news.chain else { return false }
            return learn(news.told, of: chain)
        }
    }

    private mutating func learn(_ told: News.Told, of chain: ChainID) -> Bool {
        let number = places[chain] ?? known.count
        if number == known.count {
            known.append(Known(holding: Holding(chain: chain)))
            places[chain] = number
        }
        let before = (counts: known[number].holding.counts(for: app, in: environment), rank: known[number].holding.rank)
        known[number].holding.learn(told)
        switch told {
        case .app, .mapping: return false
        case .link, .subscription:
            let holding = known[number].holding
            guard before != (holding.counts(for: app, in: environment), holding.rank) else { return false }
        case .transaction(environment, let id, let transaction):
            if known[number].book != nil {
                known[number].book?.learn(transaction, of: id)
            } else if let transaction, unlocking.contains(transaction.product) {
                known[number].open(in: environment)
            } else {
                return false
            }
        case .renewals(environment, let renewals):
            guard known[number].book?.learn(renewals) != nil else { return false }
        case .transaction, .renewals: return false
        }
        return cover(number)
    }

    /// The spans of one chain are others now.
    ///
    /// - Returns: whether there are any, or were.
    private mutating func cover(_ number: Int) -> Bool {
        let now = spans(of: number)
        let others = coverage.spans.filter { $0.book != number }
        guard !now.isEmpty || others.count < coverage.spans.count else { return false }
        // Both are in order: that is seen, and they are only put together.
        coverage = Coverage(of: (others + now).sorted { $0.period.start < $1.period.start })
        return true
    }

    /// What counts, or what unlocks, is another thing now.
    private mutating func coverAll() {
        for number in known.indices where known[number].book == nil {
            // Somebody may have bought thousands of things that unlock something else, or nothing.
            if known[number].holding.hasAny(of: unlocking, in: environment) { known[number].open(in: environment) }
        }
        coverage = Coverage(
            of: known.indices.flatMap { spans(of: $0) }.sorted { $0.period.start < $1.period.start })
    }

    private func spans(of number: Int) -> [HeldSpan] {
        guard known[number].holding.counts(for: app, in: environment), let book = known[number].book else { return [] }
        return book.spans(rank: known[number].holding.rank, book: number) { unlocking.contains($0) }
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
            let transactions = holding(of: chain)?.subscriptions.flatMap(\.subscription.transactions) ?? []
            guard !transactions.isEmpty else { return .noEvidence }
            // What would have granted, but for something else that did, says more than what never could.
            let isCovered = transactions.contains { idleness(of: $0, in: chain) == .alreadyCovered }
            return isCovered ? .alreadyCovered : transactions.last.map { idleness(of: $0, in: chain) }
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
        guard let known = places[chain].map({ known[$0] }), known.holding.isHeld else { return .notHeld }
        if known.holding.rank == .unverified && !app.unverifiedLinksGrant { return .linkUnverified }
        if known.book?.grantsAnything(by: transaction) == true { return .alreadyCovered }
        return transaction.isUpgraded == true ? .upgraded : .noPeriod
    }
}
