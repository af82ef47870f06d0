/// What both sides tell, as one list.
public enum Timeline {
    /// Puts entries in order and makes one of those that say the same: of the user's side, which knows the effect, and of
    /// the transaction's, which knows the artifact and the message.
    ///
    /// In the order in which things became known, because that is the order in which they had their effects; of what
    /// became known together configuration comes first, then claims, then links, then what is signed, each in the order in
    /// which it happened. The order of `entries` does not matter.
    public static func merging(_ entries: [TimelineEntry]) -> [TimelineEntry] {
        var groups: [Subject: [TimelineEntry]] = [:]
        for entry in Set(entries) { groups[Subject(of: entry), default: []].append(entry) }
        return groups.values.flatMap(merge).sorted(by: precedes)
    }

    /// What entries of both sides have in common if they say the same.
    private struct Subject: Hashable {
        var what: TimelineEntry.What
        var realm: Realm?
        var chain: OriginalTransactionID?
        var revision: Int?
        var environment: StoreEnvironment?
        var transaction: TransactionID?
        var signedAt: Timestamp?
        var user: AppUserID?
        /// What is about no chain is told by one side alone.
        var ofNoChain: TimelineEntry?

        init(of entry: TimelineEntry) {
            what = entry.what
            realm = entry.realm
            chain = entry.chain
            revision = entry.revision
            environment = entry.environment
            transaction = entry.transaction
            signedAt = entry.signedAt
            user = entry.user
            ofNoChain = entry.chain == nil ? entry : nil
        }
    }

    /// Entries of one subject. Several of the transaction's side stay apart: they come from several artifacts or
    /// messages. The effect goes to the one that counted first.
    private static func merge(_ entries: [TimelineEntry]) -> [TimelineEntry] {
        let effects = entries.filter { $0.effect != nil }.sorted(by: precedes)
        var origins = entries.filter { $0.effect == nil }.sorted(by: precedes)
        guard let effect = effects.first,
            let counting = origins.firstIndex(where: { $0.reason == nil }) ?? origins.indices.first
        else { return entries }
        let origin = origins.remove(at: counting)
        var merged = effect
        merged.digest = effect.digest ?? origin.digest
        merged.message = effect.message ?? origin.message
        merged.app = effect.app ?? origin.app
        merged.product = effect.product ?? origin.product
        merged.rank = effect.rank ?? origin.rank
        // What counted when it came may have been superseded since: then that is no reason for what it did.
        merged.reason = effect.reason ?? (effect.effect == TimelineEntry.Effect.none ? origin.reason : nil)
        merged.supersededBy = effect.supersededBy ?? origin.supersededBy
        merged.grounds = effect.grounds ?? origin.grounds
        return [merged] + effects.dropFirst() + origins
    }

    private static func precedes(_ left: TimelineEntry, _ right: TimelineEntry) -> Bool {
        if left.knownAt != right.knownAt { return left.knownAt < right.knownAt }
        if left.what.rank != right.what.rank { return left.what.rank < right.what.rank }
        if left.at != right.at { return left.at < right.at }
        return left.standsBefore(right)
    }
}

extension TimelineEntry.What {
    /// What decides over what, of what became known together: time has passed before anything comes, a link brings what
    /// is signed.
    fileprivate var rank: Int {
        switch self {
        case .periodBegan, .periodEnded: 0
        case .appChanged: 1
        case .mappingChanged: 2
        case .claimMade: 3
        case .linkWon, .linkLost, .linkDenied: 4
        case .transactionTold: 5
        case .transactionWithdrawn: 6
        case .renewalTold: 7
        case .renewalWithdrawn: 8
        default: 9
        }
    }
}

extension TimelineEntry {
    /// Orders what happened and became known at the same time: by the first of these that differs. Much may come at once,
    /// and most of it differs soon.
    private static let marks: [@Sendable (TimelineEntry) -> String] = [
        { $0.what.rawValue }, { $0.realm?.rawValue ?? "" }, { $0.chain?.rawValue ?? "" },
        { $0.environment?.rawValue ?? "" }, { $0.transaction?.rawValue ?? "" }, { $0.signedAt?.rfc3339 ?? "" },
        { $0.product?.rawValue ?? "" }, { $0.user?.rawValue ?? "" }, { $0.digest?.rawValue ?? "" },
        { $0.message?.rawValue ?? "" }, { $0.effect?.rawValue ?? "" }, { $0.reason?.rawValue ?? "" },
        { String($0.revision ?? 0) }, { String($0.version ?? 0) }, { $0.app?.rawValue ?? "" },
        { $0.until?.rfc3339 ?? "" },
    ]

    fileprivate func standsBefore(_ other: TimelineEntry) -> Bool {
        for mark in Self.marks {
            let (mine, theirs) = (mark(self), mark(other))
            if mine.utf8.elementsEqual(theirs.utf8) { continue }
            return mine.utf8.lexicographicallyPrecedes(theirs.utf8)
        }
        return false
    }
}
