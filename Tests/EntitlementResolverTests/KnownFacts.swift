import Messages

@testable import EntitlementResolver

/// A store without a disk: what is known of chains, and what of it counts by the rules of `Domain`.
struct KnownFacts {
    private struct Subject: Hashable {
        var original: OriginalTransactionID
        /// Nil: the chain's future.
        var id: TransactionID?
    }

    private struct Kept {
        var revision: Int
        var told: ScenarioFacts.Told?
    }

    private var kept: [Subject: [EntitlementResolver.Evidence.Source: Kept]] = [:]
    private var counting: [Subject: CountingEvidence] = [:]

    mutating func record(_ fact: ScenarioFacts.Fact) {
        var subject = Subject(original: fact.original)
        if case .transaction(let transaction) = fact.told { subject.id = transaction.id }
        if let known = kept[subject]?[fact.source], known.revision >= fact.revision { return }
        kept[subject, default: [:]][fact.source] = Kept(
            revision: fact.revision, told: fact.isRetraction ? nil : fact.told)
        guard case .transaction(let transaction) = fact.told else { return }
        var counts = counting[subject] ?? CountingEvidence()
        if counts.sources.contains(fact.source) {
            counts = CountingEvidence(
                of: (kept[subject] ?? [:]).compactMap { source, kept -> EntitlementResolver.Evidence? in
                    guard case .transaction(let transaction)? = kept.told else { return nil }
                    return .init(transaction, from: source)
                })
        } else if !fact.isRetraction {
            counts.add(.init(transaction, from: fact.source))
        }
        counting[subject] = counts
    }

    /// What each chain amounts to.
    var subscriptions: [OriginalTransactionID: EntitlementResolver.Subscription] {
        var transactions: [OriginalTransactionID: [StoreTransaction]] = [:]
        for (subject, counts) in counting {
            transactions[subject.original, default: []] += [counts.transaction].compactMap(\.self)
        }
        var subscriptions: [OriginalTransactionID: EntitlementResolver.Subscription] = [:]
        for (original, transactions) in transactions {
            let renewals = (kept[Subject(original: original)] ?? [:]).compactMap { source, kept -> RenewalEvidence? in
                guard case .renewal(let renewal)? = kept.told else { return nil }
                return RenewalEvidence(renewal, from: source)
            }
            subscriptions[original] = EntitlementResolver.Subscription(
                environment: transactions.first?.environment ?? .production, transactions: transactions,
                renewals: RenewalEvidence.deciding(among: renewals))
        }
        return subscriptions
    }
}
