/// One thing that happened to a user's entitlement, or that became known of it, and what it did. What is absent does not
/// apply or is not known to the side that tells.
///
/// Both sides of entitlement-resolver tell entries: the user's says what each piece of news did to the entitlement
/// (``effect`` is there), the transaction's says which artifact and which message it came from. ``Timeline/merging(_:)``
/// makes one list of them.
public struct TimelineEntry: Codable, Sendable, Hashable {
    /// When it happened: a purchase, a revocation, a claim's `accepted_at`, a change of configuration.
    public var at: Timestamp
    /// When the side that tells took it in; of what time alone does, the same as ``at``.
    public var knownAt: Timestamp
    /// What it is.
    public var what: What
    /// Of a test app, or of the stores.
    public var realm: Realm?
    /// The chain that it is about.
    public var chain: OriginalTransactionID?
    /// The chain's revision that it made; of links.
    public var revision: Int?
    /// Where it happened; of what a store signed.
    public var environment: StoreEnvironment?
    /// The transaction of the chain.
    public var transaction: TransactionID?
    /// What was bought, or what is mapped.
    public var product: ProductID?
    /// When the store signed it; with ``transaction`` it names one state of a transaction.
    public var signedAt: Timestamp?
    /// Until when the transaction was paid for, or grace was given.
    public var expiresAt: Timestamp?
    /// When the store took the transaction back.
    public var revokedAt: Timestamp?
    /// Whether the subscription is going to renew, as ``product``; of renewal information.
    public var willRenew: Bool?
    /// Who won, lost, or claimed.
    public var user: AppUserID?
    /// How strong the claim behind it is.
    public var rank: ClaimRank?
    /// Through which app it was claimed or verified, or whose configuration changed.
    public var app: AppID?
    /// What the product unlocks from then on; of a mapping.
    public var entitlements: [EntitlementID]?
    /// Of the configuration.
    public var version: Int?
    /// The artifact that it was read from.
    public var digest: ArtifactDigest?
    /// The message that told it, or that claimed.
    public var message: MessageID?
    /// What it did to the entitlement that was asked about; absent from the transaction's side, which knows none.
    public var effect: Effect?
    /// Until when the entitlement was active by what was known then, where it was and runs out.
    public var until: Timestamp?
    /// Why it did nothing, or, of what was denied, why.
    public var reason: Reason?
    /// The artifact that counts in its place.
    public var supersededBy: ArtifactDigest?
    /// Why the verdict on its artifact turned, as receipt-validator says; of what was withdrawn.
    public var grounds: String?

    /// An entry of these; what else is known is set later.
    public init(_ what: What, at: Timestamp, knownAt: Timestamp) {
        self.what = what
        self.at = at
        self.knownAt = knownAt
    }
}
