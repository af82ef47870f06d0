package import Messages

/// How an entitlement came to be what it was: every piece of news with what it did, and what time did in between.
package enum Explanation {
    /// - Parameters:
    ///   - user: whose it is.
    ///   - news: by ``News/precedes(_:_:)``.
    ///   - knowledge: what was known before them.
    ///   - start: when that was so.
    ///   - end: until when time is watched; not before the last of the news.
    package static func entries(
        for user: AppUserID, of news: [News], after knowledge: Knowledge, from start: Timestamp,
        until end: Timestamp
    ) -> [TimelineEntry] {
        var knowledge = knowledge
        var now = start
        var upshot = knowledge.upshot(at: now)
        var entries: [TimelineEntry] = []

        func pass(to time: Timestamp) {
            while let change = upshot.nextChange, change <= time {
                let after = knowledge.upshot(at: change)
                if let entry = passage(from: upshot, to: after, at: change) { entries.append(entry) }
                (now, upshot) = (change, after)
            }
            now = max(now, time)
        }

        for piece in news {
            pass(to: piece.knownAt)
            let before = Before(piece, knowledge)
            let after = knowledge.learn(piece) ? knowledge.upshot(at: now) : upshot
            let effect = effect(from: upshot, to: after)
            upshot = after
            // Configuration changes all the time, and with every change of a chain comes its revision: what changed
            // nothing here is no part of the story.
            if effect == .none && !piece.isWorthTelling { continue }
            var entry = entry(of: piece, user: user, after: before)
            entry.effect = effect
            if effect == .none { entry.reason = entry.reason ?? knowledge.idleness(of: piece) }
            if after.isActive { entry.until = after.state?.until }
            entries.append(entry)
        }
        pass(to: end)
        return entries
    }

    /// What was known of a chain before news of it.
    private struct Before {
        var isHeld = false
        var renewals: [StoreRenewal] = []

        init(_ news: News, _ knowledge: Knowledge) {
            guard let chain = news.chain else { return }
            isHeld = knowledge.isHeld(chain)
            if case .renewals(let environment, _) = news.told {
                renewals = knowledge.renewals(of: chain, in: environment)
            }
        }

        /// Whether it was said already.
        func knows(_ renewal: StoreRenewal) -> Bool {
            // Oldest first.
            renewals[renewals.partitioningIndex { $0.signedAt >= renewal.signedAt }...].lazy
                .prefix { $0.signedAt == renewal.signedAt }.contains(renewal)
        }
    }

    private static func effect(from before: Knowledge.Upshot, to after: Knowledge.Upshot) -> TimelineEntry.Effect {
        switch (before.isActive, after.isActive) {
        case (false, true): return .began
        case (true, false): return .ended
        case (true, true):
            let (was, becomes) = (before.state?.until ?? .distantFuture, after.state?.until ?? .distantFuture)
            if was != becomes { return was < becomes ? .extended : .shortened }
        case (false, false): break
        }
        return before.periods == after.periods ? .none : .otherTimes
    }

    /// What time alone did; nil where something else began as the other ended.
    private static func passage(
        from before: Knowledge.Upshot, to after: Knowledge.Upshot, at time: Timestamp
    ) -> TimelineEntry? {
        guard before.isActive != after.isActive else { return nil }
        var entry = TimelineEntry(after.isActive ? .periodBegan : .periodEnded, at: time, knownAt: time)
        entry.effect = after.isActive ? .began : .ended
        entry.transaction = after.state?.transaction
        entry.product = after.state?.product
        entry.environment = after.state?.environment
        if after.isActive { entry.until = after.state?.until }
        return entry
    }

    private static func entry(of news: News, user: AppUserID, after before: Before) -> TimelineEntry {
        func entry(_ what: TimelineEntry.What, at time: Timestamp) -> TimelineEntry {
            var entry = TimelineEntry(what, at: time, knownAt: news.knownAt)
            entry.realm = news.chain?.realm
            entry.chain = news.chain?.original
            return entry
        }
        switch news.told {
        case .app(let record):
            var told = entry(.appChanged, at: record.changedAt)
            told.app = record.app
            told.version = record.version
            return told
        case .mapping(let mapping):
            var told = entry(.mappingChanged, at: mapping.changedAt)
            told.app = mapping.app
            told.version = mapping.version
            told.product = mapping.product
            told.entitlements = mapping.entitlements
            return told
        case .link(let link, let reason, _):
            var told = entry(link.isHeld ? .linkWon : before.isHeld ? .linkLost : .linkDenied, at: link.since)
            told.user = user
            told.revision = link.revision
            told.rank = link.rank
            told.reason = reason
            return told
        case .subscription(_, let revision, let rank):
            // It is sent to the holder alone: the news of the link itself is late.
            var told = entry(.linkWon, at: news.knownAt)
            told.user = user
            told.revision = revision
            told.rank = rank
            return told
        case .transaction(let environment, let id, let transaction):
            let at = transaction.map { $0.revokedAt ?? $0.purchasedAt } ?? news.knownAt
            var told = entry(transaction == nil ? .transactionWithdrawn : .transactionTold, at: at)
            told.environment = environment
            told.transaction = id
            told.product = transaction?.product
            told.signedAt = transaction?.signedAt
            told.expiresAt = transaction?.expiresAt
            told.revokedAt = transaction?.revokedAt
            return told
        case .renewals(let environment, let renewals):
            let new = renewals.last { !before.knows($0) }
            var told = entry(new == nil ? .renewalWithdrawn : .renewalTold, at: new?.signedAt ?? news.knownAt)
            told.environment = environment
            told.product = new?.nextProduct ?? new?.product
            told.signedAt = new?.signedAt
            told.expiresAt = new?.graceExpiresAt
            told.willRenew = new?.willRenew
            return told
        }
    }
}

extension News {
    /// Whether it is part of the story even if it did nothing.
    fileprivate var isWorthTelling: Bool {
        switch told {
        case .app, .mapping, .subscription: false
        case .link, .transaction, .renewals: true
        }
    }
}
