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
    }

    private struct Entry {
        var entitlement: EntitlementID
        var coverage: Coverage
    }

    private let environment: StoreEnvironment
    private let isTest: Bool
    private let books: [(book: GrantBook, chain: ChainID)]
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
        var books: [(book: GrantBook, chain: ChainID)] = []
        var spans: [EntitlementID: [HeldSpan]] = [:]
        for holding in holdings where holding.counts(for: app, in: environment) {
            for news in holding.subscriptions where news.subscription.environment == environment {
                let book = GrantBook(of: news.subscription)
                for span in book.spans(rank: holding.rank, book: books.count, where: { mapping[$0] != nil }) {
                    for entitlement in mapping[book.product(at: span.place)] ?? [] {
                        spans[entitlement, default: []].append(span)
                    }
                }
                books.append((book, holding.chain))
            }
        }
        self.books = books
        entries = spans.map { entitlement, spans in
            Entry(
                entitlement: entitlement,
                coverage: Coverage(of: spans.sorted { $0.period.start < $1.period.start }))
        }.sorted { $0.entitlement < $1.entitlement }
    }

    /// All that ever unlocks an entitlement, by start.
    package func grants(of entitlement: EntitlementID) -> [HeldGrant] {
        (coverage(of: entitlement)?.spans ?? []).map { span in
            let (book, chain) = books[span.book]
            return HeldGrant(
                grant: book.grant(at: span.place), chain: chain, rank: span.rank, outlook: book.subscription.outlook)
        }
    }

    /// Each entitlement at `time`, by name. What ran out is there as inactive; what only begins later is not there.
    package func states(at time: Timestamp) -> [EntitlementState] {
        entries.compactMap { entry in
            entry.coverage.state(of: entry.entitlement, at: time, in: environment, isTest: isTest) { books[$0].book }
        }
    }

    /// The next time after `time` at which ``states(at:)`` may give something else; nil: never, as things stand.
    package func nextChange(after time: Timestamp) -> Timestamp? {
        entries.compactMap { $0.coverage.nextChange(after: time) }.min()
    }

    /// When an entitlement is active, all in all: without gaps between them, by start.
    package func periods(of entitlement: EntitlementID) -> [GrantPeriod] {
        coverage(of: entitlement)?.periods ?? []
    }

    private func coverage(of entitlement: EntitlementID) -> Coverage? {
        entries.first { $0.entitlement == entitlement }?.coverage
    }
}

extension Holding {
    /// Whether what it grants in an environment is his in an app. Evidence of a test app counts in that app alone, and that
    /// app takes no other; a link that nobody has verified counts only where the app says so; and what happened nobody
    /// knows where counts nowhere.
    func counts(for app: AppRecord, in environment: StoreEnvironment) -> Bool {
        isHeld && chain.realm == app.realm && environment != .unknown
            && (rank > .unverified || app.unverifiedLinksGrant)
    }
}

extension Coverage {
    /// What an entitlement is at `time`; nil: it was never unlocked by then.
    ///
    /// - Parameter book: by its number.
    func state(
        of entitlement: EntitlementID, at time: Timestamp, in environment: StoreEnvironment, isTest: Bool,
        book: (Int) -> GrantBook
    ) -> EntitlementState? {
        guard let (period, isActive, deciding) = judged(at: time) else { return nil }
        let book = book(deciding.book)
        let (grant, outlook) = (book.grant(at: deciding.place), book.subscription.outlook)
        return EntitlementState(
            entitlement: entitlement, environment: environment, isActive: isActive,
            since: isActive ? period.start : nil, until: period.end, transaction: grant.transaction.id,
            product: grant.transaction.product, trust: deciding.rank.trust, isTest: isTest,
            reason: isActive ? grant.reason : grant.endedBy, willRenew: outlook?.willRenew,
            renewsAs: outlook?.willRenew == true ? outlook?.nextProduct : nil)
    }
}
