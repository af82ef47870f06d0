package import Lane
package import Messages
package import SQLite

/// `user.why.v1`: what an entitlement was at any time, by what was known at any time, and how it came to be so.
package struct ExplainEntitlement: QueryHandler {
    package static let isLengthy = true

    private let mostNews: Int
    private let mostChains: Int
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - mostNews: how many pieces of news are looked through.
    ///   - mostChains: how many chains are named.
    ///   - now: the clock by which time passes.
    package init(mostNews: Int = 500, mostChains: Int = 50, now: @escaping @Sendable () -> Timestamp) {
        self.mostNews = mostNews
        self.mostChains = mostChains
        self.now = now
    }

    package func answer(_ query: UserWhy, in snapshot: borrowing Snapshot) throws -> Verdict<UserWhyView> {
        guard let current = try AppStore.current(query.app, of: query.organisation, in: snapshot) else {
            return .refused(.appUnknown)
        }
        let customer = Customer(query.organisation, query.user)
        guard let creation = try CustomerStore.creation(of: customer, in: snapshot) else {
            return .refused(.userUnknown)
        }
        // Without a time all that has come counts, even where another machine's clock dated it ahead of this one's.
        let (now, horizon) = (now(), query.knownAt ?? .distantFuture)
        let past = try HoldingHistoryStore.past(of: customer, by: horizon, limit: mostNews, in: snapshot)
        let configuration = ConfigurationHistory(
            apps: try AppStore.versions(of: query.app, of: query.organisation, knownAt: horizon, in: snapshot),
            mappings: try MappingStore.versions(
                of: past.products, of: query.app, of: query.organisation,
                knownAt: horizon, in: snapshot))

        let environment = query.environment ?? .production
        let inForce = query.at ?? .distantFuture
        let app = configuration.app(at: inForce) ?? current
        let state = Entitlements(of: past.after, for: app, in: environment, mapping: configuration.mapping(at: inForce))
            .states(at: query.at ?? now).first { $0.entitlement == query.entitlement }
        let chains = Self.chains(of: past.news, in: app.realm)
        return .applied(
            UserWhyView(
                state: state
                    ?? EntitlementState(
                        entitlement: query.entitlement, environment: environment, isActive: false, trust: .unverified,
                        isTest: app.isTest),
                at: query.at ?? now, knownAt: query.knownAt ?? now,
                knownSince: try HoldingHistoryStore.beginning(of: customer, in: snapshot) ?? creation,
                timeline: Self.timeline(
                    of: past, configuration,
                    after: Knowledge(
                        of: query.entitlement, in: environment, app: configuration.firstApp ?? current,
                        holdings: past.before), for: query.user, until: min(horizon, now)),
                chains: Array(chains.prefix(mostChains)),
                isTruncated: past.cut != nil || chains.count > mostChains,
                isUnlockable: state == nil
                    ? try MappingStore.everUnlocked(
                        query.entitlement, in: query.app, of: query.organisation, knownAt: horizon, in: snapshot) : nil)
        )
    }

    private static func timeline(
        of past: HoldingHistoryStore.Past, _ configuration: ConfigurationHistory, after knowledge: Knowledge,
        for user: AppUserID,
        until end: Timestamp
    ) -> [TimelineEntry] {
        let start = past.cut ?? past.news.map(\.knownAt).min() ?? end
        var knowledge = knowledge
        let changes = configuration.news.sorted(by: News.precedes)
        for change in changes where change.knownAt <= start { knowledge.learn(change) }
        return Timeline.merging(
            Explanation.entries(
                for: user, of: (past.news + changes.filter { $0.knownAt > start }).sorted(by: News.precedes),
                after: knowledge, from: start, until: end))
    }

    /// The chains that the news are about, those of which something signed is known first, then the newest first.
    private static func chains(of news: [News], in realm: Realm) -> [UserWhyView.Chain] {
        var seen: Set<ChainID> = []
        let news = news.sorted { News.precedes($1, $0) }
        let chains = (news.filter { $0.product != nil } + news).compactMap(\.chain)
        return chains.filter { $0.realm == realm && seen.insert($0).inserted }
            .map { UserWhyView.Chain(realm: $0.realm, originalTransactionID: $0.original) }
    }
}

extension News {
    fileprivate var product: ProductID? {
        guard case .transaction(_, _, let transaction) = told else { return nil }
        return transaction?.product
    }
}

extension HoldingHistoryStore.Past {
    fileprivate var products: Set<ProductID> {
        Set(news.compactMap(\.product)).union(before.flatMap(\.products)).union(after.flatMap(\.products))
    }
}

extension Holding {
    fileprivate var products: [ProductID] { subscriptions.flatMap(\.subscription.transactions).map(\.product) }
}
