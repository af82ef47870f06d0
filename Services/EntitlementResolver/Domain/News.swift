package import Messages

/// One thing that a user's partition came to know, and when.
///
/// The order of news is that of ``knownAt``, and of what came together that of a timeline's entries: configuration, links,
/// what is signed by the time that it is about.
package struct News: Hashable, Sendable {
    /// What came.
    package enum Told: Hashable, Sendable {
        /// The app, as it is from then on.
        case app(AppRecord)
        /// What a product unlocks from then on.
        case mapping(ProductMapping)
        /// A chain became his, or another's, or was denied to him for this reason.
        case link(Holding.LinkNews, reason: TimelineEntry.Reason?, isOvertaken: Bool)
        /// A chain's revision, and how strong his link is, in one environment; what that amounts to follows.
        case subscription(StoreEnvironment, revision: Int, rank: ClaimRank)
        /// One transaction, as it is from then on; nil: nothing tells of it any more.
        case transaction(StoreEnvironment, TransactionID, StoreTransaction?)
        /// What the store says will become of a chain, all that decides anything, oldest first.
        case renewals(StoreEnvironment, [StoreRenewal])
    }

    package var knownAt: Timestamp
    /// Nil for configuration.
    package var chain: ChainID?
    package var told: Told

    package init(_ told: Told, of chain: ChainID?, knownAt: Timestamp) {
        self.told = told
        self.chain = chain
        self.knownAt = knownAt
    }

    package static func precedes(_ left: News, _ right: News) -> Bool {
        if left.knownAt != right.knownAt { return left.knownAt < right.knownAt }
        let (here, there) = (left.place, right.place)
        if here.sort != there.sort { return here.sort < there.sort }
        if here.time != there.time { return here.time < there.time }
        return here.name.utf8.lexicographicallyPrecedes(there.name.utf8)
    }

    /// Where it stands among what came with it, as ``Timeline/merging(_:)`` has it.
    private var place: (sort: Int, time: Timestamp, name: String) {
        let chain = chain.map { "\($0.realm)/\($0.original)" } ?? ""
        switch told {
        case .app(let record): return (0, record.changedAt, "\(record.version)")
        case .mapping(let mapping): return (1, mapping.changedAt, "\(mapping.product)/\(mapping.version)")
        case .link(let news, _, _): return (2, news.since, "\(chain)/\(news.revision)")
        case .subscription(let environment, _, _): return (3, .distantPast, "\(chain)/\(environment)")
        case .transaction(let environment, let id, let transaction?):
            return (4, transaction.revokedAt ?? transaction.purchasedAt, "\(chain)/\(environment)/\(id)")
        case .transaction(let environment, let id, nil): return (5, knownAt, "\(chain)/\(environment)/\(id)")
        case .renewals(let environment, _): return (6, knownAt, "\(chain)/\(environment)")
        }
    }
}
