internal import Lane
internal import Messages
internal import SQLite

extension EvidenceStore {
    /// All that artifacts have told of a chain's transactions, oldest signature first; of more than `limit` the newest.
    ///
    /// - Parameter time: the state of our knowledge; nil: now.
    static func history(
        of chain: ChainID, knownAt time: Timestamp?, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [TimelineEntry] {
        let rows = try store.all(
            """
            SELECT environment, id, app, digest, counts, product, purchased_at, expires_at, revoked_at, signed_at,
                known_at, retracted_at, retracted_why
            FROM evidence WHERE organisation = ? AND realm = ? AND original = ?
            ORDER BY signed_at DESC, environment, id, app, digest LIMIT ?
            """, bindings: chain.bindings + [SQLValue(limit)]
        ) { try PastEvidence($0) }
        var counting: [PastEvidence.Subject: ArtifactDigest] = [:]
        // The newest signature last: of two that count it decides more.
        for row in rows.reversed() where row.counts { counting[row.subject] = row.digest }
        return rows.reversed().flatMap { row in
            row.entries(of: chain, supersededBy: counting[row.subject], knownAt: time)
        }
    }
}

/// A piece of evidence with what became of it.
private struct PastEvidence {
    /// What it is about.
    struct Subject: Hashable {
        var environment: StoreEnvironment
        var id: TransactionID
    }

    var subject: Subject
    var app: AppID
    var digest: ArtifactDigest
    var counts: Bool
    /// Nil: it was taken back before it came.
    var product: ProductID?
    var purchasedAt: Timestamp?
    var expiresAt: Timestamp?
    var revokedAt: Timestamp?
    var signedAt: Timestamp?
    /// When it came to be known here; nil: by a release that did not note it.
    var knownAt: Timestamp?
    var retractedAt: Timestamp?
    var retractedWhy: String?

    init(_ row: borrowing Row) throws {
        subject = Subject(environment: try row.id(0), id: try row.id(1))
        (app, digest, counts) = (try row.id(2), try row.id(3), try row.int(4) > 0)
        (product, purchasedAt) = (try row.idOrNil(5), try row.timeOrNil(6))
        (expiresAt, revokedAt, signedAt) = (try row.timeOrNil(7), try row.timeOrNil(8), try row.timeOrNil(9))
        (knownAt, retractedAt) = (try row.timeOrNil(10), try row.timeOrNil(11))
        retractedWhy = try row.textOrNil(12)
    }

    /// That it came, and that it was taken back.
    func entries(
        of chain: ChainID, supersededBy other: ArtifactDigest?, knownAt time: Timestamp?
    ) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        let isRetracted = product == nil || (retractedAt.map { $0 <= time ?? .distantFuture } ?? false)
        if product != nil, let signedAt {
            var told = entry(
                .transactionTold, of: chain, at: revokedAt ?? purchasedAt ?? signedAt, knownAt: knownAt ?? signedAt)
            if isRetracted {
                told.reason = .retracted
            } else if !counts, retractedAt == nil {
                (told.reason, told.supersededBy) = (.superseded, other)
            }
            entries.append(told)
        }
        if isRetracted {
            // When older releases took it back they did not note.
            let time = retractedAt ?? signedAt ?? .unnoted
            var withdrawn = entry(.transactionWithdrawn, of: chain, at: time, knownAt: time)
            withdrawn.grounds = retractedWhy
            entries.append(withdrawn)
        }
        return entries
    }

    private func entry(
        _ what: TimelineEntry.What, of chain: ChainID, at time: Timestamp, knownAt: Timestamp
    ) -> TimelineEntry {
        var entry = TimelineEntry(what, at: time, knownAt: knownAt)
        (entry.realm, entry.chain) = (chain.realm, chain.original)
        (entry.environment, entry.transaction) = (subject.environment, subject.id)
        (entry.app, entry.digest, entry.product) = (app, digest, product)
        (entry.expiresAt, entry.revokedAt, entry.signedAt) = (expiresAt, revokedAt, signedAt)
        return entry
    }
}

extension Timestamp {
    /// Of what is known from so long ago that nobody noted when.
    static let unnoted = Timestamp(clamping: 0)
}
