package import Lane
package import Messages
package import SQLite

/// `chain.history.v1`: who claimed a chain, whose it was, and what stores signed about it.
///
/// What a claim did, and which evidence counts, is told as it is judged today; of a time in the past what came later is
/// left out.
package struct TellHistory: QueryHandler {
    package static let isLengthy = true

    /// How many of each: claims, changes of the link, pieces of evidence.
    package static let most = 1000

    package init() {}

    package func answer(_ query: ChainHistory, in snapshot: borrowing Snapshot) throws -> Verdict<ChainHistoryView> {
        let chain = ChainID(query.organisation, query.realm, query.originalTransactionID)
        let time = query.knownAt
        func isKnown(_ known: Timestamp) -> Bool { time.map { known <= $0 } ?? true }

        let claims = try ClaimStore.all(to: chain, limit: Self.most + 1, in: snapshot)
        let history = try ChainStore.history(of: chain, limit: Self.most + 1, in: snapshot)
        let evidence = try EvidenceStore.history(of: chain, knownAt: time, limit: Self.most + 1, in: snapshot)
        let renewals = try RenewalStore.history(of: chain, knownAt: time, limit: Self.most + 1, in: snapshot)
        let signed = (evidence + renewals).filter { isKnown($0.knownAt) }
        let view = ChainHistoryView(
            link: time == nil
                ? try ChainStore.chain(chain, in: snapshot).view : history.last { isKnown($0.knownAt) }?.view,
            claims: claims.suffix(Self.most).map(\.view).filter { isKnown($0.knownAt ?? $0.acceptedAt) },
            entries: Timeline.merging(
                signed
                    + (claims.suffix(Self.most).map { $0.entry(of: chain) } + Self.entries(history, of: chain))
                    .filter { isKnown($0.knownAt) }),
            isTruncated: [claims.count, history.count, evidence.count, renewals.count].contains { $0 > Self.most })
        return .applied(view)
    }

    /// Who won and who lost by each change.
    private static func entries(_ history: [ChainStore.PastLink], of chain: ChainID) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        // What was before the oldest that is told is not known.
        var before = history.count > most ? history.first?.link : nil
        for past in history.suffix(most) {
            func entry(_ what: TimelineEntry.What, _ link: Link) -> TimelineEntry {
                var entry = TimelineEntry(what, at: past.link?.since ?? past.knownAt, knownAt: past.knownAt)
                (entry.realm, entry.chain, entry.revision) = (chain.realm, chain.original, past.revision)
                (entry.user, entry.rank, entry.message) = (link.user.told, link.rank, past.cause)
                return entry
            }
            if let before, before.user != past.link?.user { entries.append(entry(.linkLost, before)) }
            if let link = past.link { entries.append(entry(.linkWon, link)) }
            before = past.link
        }
        return entries
    }
}

extension ClaimStore.Kept {
    fileprivate func entry(of chain: ChainID) -> TimelineEntry {
        let version = claim.version
        var entry = TimelineEntry(.claimMade, at: version.acceptedAt, knownAt: knownAt ?? version.acceptedAt)
        (entry.realm, entry.chain, entry.user, entry.rank) = (chain.realm, chain.original, claim.user.told, claim.rank)
        (entry.app, entry.message, entry.digest) = (claim.app, version.message, claim.grounds?.digest)
        if outcome?.isDenial == true || outcome == .repeated {
            entry.reason = TimelineEntry.Reason(rawValue: outcome?.rawValue ?? "")
        }
        return entry
    }
}
