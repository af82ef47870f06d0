internal import Messages

/// For how long the store let the customer have what he could not be charged for, by what it has signed.
struct GracePeriods {
    /// Apple's longest grace period is 28 days; what ended longer before its end is not what it prolongs.
    private static let longest = Duration.seconds(28 * 86_400)

    /// The end of a transaction that was not cut short: what comes at it may be grace.
    private struct End {
        var time: Timestamp
        /// Of the transaction.
        var index: Int
    }

    private let subscription: Subscription
    /// By time, then in the order of the transactions.
    private let ends: [End]
    /// What was signed of each period's end, oldest first.
    private let told: [Timestamp?: [StoreRenewal]]

    /// - Parameter terms: of the transactions, by themselves.
    init(of subscription: Subscription, _ terms: [Term?]) {
        self.subscription = subscription
        var ends: [End] = []
        for index in terms.indices {
            guard let end = terms[index]?.period.end, end == subscription.transactions[index].expiresAt else {
                continue
            }
            ends.append(End(time: end, index: index))
        }
        self.ends = ends.sorted { ($0.time, $0.index) < ($1.time, $1.index) }
        told = Dictionary(grouping: subscription.renewals, by: \.renewsAt).mapValues { renewals in
            renewals.sorted { $0.signedAt < $1.signedAt }
        }
    }

    /// One for each transaction that is prolonged, by its place. A new period takes the place of the grace before it was
    /// charged.
    var all: [Int: GrantPeriod] {
        var graces: [Int: GrantPeriod] = [:]
        let transactions = subscription.transactions
        for renewal in subscription.renewals {
            guard let until = renewal.graceExpiresAt, let prolonged = prolonged(by: renewal, until: until) else {
                continue
            }
            let start = prolonged.time
            let next = prolonged.index + 1 < transactions.count ? transactions[prolonged.index + 1].purchasedAt : nil
            let end = [until, endTold(of: renewal), next].compactMap(\.self).min() ?? until
            guard end > graces[prolonged.index]?.end ?? start else { continue }
            graces[prolonged.index] = GrantPeriod(start: start, end: end)
        }
        return graces
    }

    /// What it goes on from: the end that the store names, or else the last before.
    private func prolonged(by renewal: StoreRenewal, until: Timestamp) -> End? {
        if let renewsAt = renewal.renewsAt, let named = last(until: renewsAt, isIncluded: true), named.time == renewsAt
        {
            return named
        }
        guard let last = last(until: until, isIncluded: false), last.time >= until - Self.longest else { return nil }
        return last
    }

    private func last(until time: Timestamp, isIncluded: Bool) -> End? {
        let behind = ends.partitioningIndex { isIncluded ? $0.time > time : $0.time >= time }
        return behind > 0 ? ends[behind - 1] : nil
    }

    /// When the store said first, in a grace period, that it is over before its time.
    private func endTold(of grace: StoreRenewal) -> Timestamp? {
        guard let told = told[grace.renewsAt], let until = grace.graceExpiresAt else { return nil }
        // Of what was signed about one end most is the grace itself: the first that is not is near.
        return told[told.partitioningIndex { $0.signedAt > grace.signedAt }...].lazy
            .prefix { $0.signedAt < until }.first { $0.ends(grace) }?.signedAt
    }
}
