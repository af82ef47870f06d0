/// Why a user has an entitlement, or has not, as it is told outside: by the edge's `…/why` and by `users why --json`, named
/// as the SDK API names things. What is absent is not known or does not apply; times are RFC 3339 in UTC with milliseconds.
public struct WhyAnswer: Codable, Sendable, Hashable {
    /// One thing that happened or became known; see ``TimelineEntry``.
    public struct Entry: Codable, Sendable, Hashable {
        /// When it happened.
        public let at: Timestamp
        /// When it became known.
        public let knownAt: Timestamp
        /// What it is, as a stable code.
        public let what: String
        /// What it did to the entitlement, as a stable code; absent where it was no news to the user's side.
        public let effect: String?
        /// Until when the entitlement was active after it.
        public let until: Timestamp?
        /// Why it did nothing, as a stable code.
        public let reason: String?
        /// All of it for people.
        public let text: String
        /// The chain that it is about.
        public let originalTransactionId: String?
        /// The transaction of the chain.
        public let transactionId: String?
        /// What was bought, or what is mapped.
        public let productId: String?
        /// Where it happened; of what a store signed.
        public let environment: String?
        /// When the store signed it.
        public let signedAt: Timestamp?
        /// Until when the transaction was paid for, or grace was given.
        public let expiresAt: Timestamp?
        /// When the store took the transaction back.
        public let revokedAt: Timestamp?
        /// Whether the subscription is going to renew, as ``productId``.
        public let willRenew: Bool?
        /// Who won, lost, or claimed.
        public let appUserId: String?
        /// How strong the claim behind it is: `unverified`, `attested`, `verified`, `account_token` or `pinned`.
        public let rank: String?
        /// Through which app it was claimed or verified, or whose configuration changed.
        public let bundleId: String?
        /// What the product unlocks from then on; of a mapping.
        public let entitlements: [String]?
        /// The artifact that it was read from: SHA-256 in hexadecimal.
        public let artifact: String?
        /// The message that told it, or that claimed.
        public let messageId: String?
        /// The artifact that counts in its place today.
        public let supersededBy: String?
        /// Why the verdict on its artifact turned; of what was withdrawn.
        public let grounds: String?
    }

    /// The user as his app names him.
    public let appUserId: String
    /// At ``at``, by what was known at ``knownAt``.
    public let state: EntitlementAnswer
    /// True where nothing in the app ever unlocked the entitlement: it may be mistyped; else absent.
    public let unlockedByNothing: Bool?
    /// The time that was judged.
    public let at: Timestamp
    /// The state of knowledge by which it was judged.
    public let knownAt: Timestamp
    /// Since when anything is known; later than ``knownAt``: nothing was known then.
    public let knownSince: Timestamp
    /// In the order in which it became known.
    public let timeline: [Entry]
    /// True where the oldest part of a long story is left out; else absent.
    public let truncated: Bool?

    /// What was found out about `user`, told outside.
    public init(_ view: UserWhyView, of user: AppUserID) {
        appUserId = user.rawValue
        state = EntitlementAnswer(view.state)
        unlockedByNothing = view.isUnlockable == false ? true : nil
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
            appUserId: entry.user?.rawValue, rank: entry.rank?.name, bundleId: entry.app?.rawValue,
            entitlements: entry.entitlements?.map(\.rawValue), artifact: entry.digest?.rawValue,
            messageId: entry.message?.rawValue, supersededBy: entry.supersededBy?.rawValue, grounds: entry.grounds)
    }
}
