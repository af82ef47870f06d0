internal import Messages

/// The answer of ``ExplainEntitlement``, named as the SDK API names things. What is absent is not known or does not apply;
/// times are RFC 3339 in UTC with milliseconds.
struct WhyAnswer: Codable {
    /// One thing that happened or became known; see `TimelineEntry`.
    struct Entry: Codable {
        /// When it happened.
        let at: Timestamp
        /// When it became known.
        let knownAt: Timestamp
        /// What it is, as a stable code.
        let what: String
        /// What it did to the entitlement, as a stable code; absent where it was no news to the user's side.
        let effect: String?
        /// Until when the entitlement was active after it.
        let until: Timestamp?
        /// Why it did nothing, as a stable code.
        let reason: String?
        /// All of it for people.
        let text: String
        let originalTransactionId: String?
        let transactionId: String?
        let productId: String?
        let environment: String?
        let signedAt: Timestamp?
        let expiresAt: Timestamp?
        let revokedAt: Timestamp?
        /// Whether the subscription is going to renew, as `productId`.
        let willRenew: Bool?
        let appUserId: String?
        /// How strong the claim behind it is: `unverified`, `attested`, `verified`, `account_token` or `pinned`.
        let rank: String?
        let bundleId: String?
        let entitlements: [String]?
        /// The artifact that it was read from: SHA-256 in hexadecimal.
        let artifact: String?
        let messageId: String?
        /// The artifact that counts in its place today.
        let supersededBy: String?
        /// Why the verdict on its artifact turned; of what was withdrawn.
        let grounds: String?
    }

    let appUserId: String
    /// At `at`, by what was known at `knownAt`.
    let state: UserAnswer.Entitlement
    let at: Timestamp
    let knownAt: Timestamp
    /// Since when anything is known; later than `knownAt`: nothing was known then.
    let knownSince: Timestamp
    /// In the order in which it became known.
    let timeline: [Entry]
    /// True where the oldest part of a long story is left out; else absent.
    let truncated: Bool?

    init(_ view: UserWhyView, of user: AppUserID) {
        appUserId = user.rawValue
        state = UserAnswer.Entitlement(view.state)
        at = view.at
        knownAt = view.knownAt
        knownSince = view.knownSince
        timeline = view.timeline.map(Entry.init)
        truncated = view.isTruncated ? true : nil
    }
}

extension WhyAnswer.Entry {
    fileprivate init(_ entry: TimelineEntry) {
        let text = [entry.sentence, entry.outcome].filter { !$0.isEmpty }.joined(separator: "; ")
        self.init(
            at: entry.at, knownAt: entry.knownAt, what: entry.what.rawValue, effect: entry.effect?.rawValue,
            until: entry.until, reason: entry.reason?.rawValue, text: text,
            originalTransactionId: entry.chain?.rawValue, transactionId: entry.transaction?.rawValue,
            productId: entry.product?.rawValue, environment: entry.environment?.rawValue, signedAt: entry.signedAt,
            expiresAt: entry.expiresAt, revokedAt: entry.revokedAt, willRenew: entry.willRenew,
            appUserId: entry.user?.rawValue,
            rank: entry.rank?.name, bundleId: entry.app?.rawValue,
            entitlements: entry.entitlements?.map(\.rawValue), artifact: entry.digest?.rawValue,
            messageId: entry.message?.rawValue, supersededBy: entry.supersededBy?.rawValue, grounds: entry.grounds)
    }
}
