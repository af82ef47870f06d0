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

extension TimelineEntry {
    /// What happened, as a stable code.
    public struct What: TextIdentifier {
        /// `snake_case`
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A store's word about a transaction, signed at ``TimelineEntry/signedAt``, became known.
        public static let transactionTold = What(rawValue: "transaction_told")
        /// What was told of a transaction counts no more, and nothing else tells of it.
        public static let transactionWithdrawn = What(rawValue: "transaction_withdrawn")
        /// A store's word about what will become of a subscription became known.
        public static let renewalTold = What(rawValue: "renewal_told")
        /// It counts no more.
        public static let renewalWithdrawn = What(rawValue: "renewal_withdrawn")
        /// Somebody said that the chain is ``TimelineEntry/user``'s; with a reason if he did not get it.
        public static let claimMade = What(rawValue: "claim_made")
        /// The chain became ``TimelineEntry/user``'s, or his on stronger grounds.
        public static let linkWon = What(rawValue: "link_won")
        /// The chain became another's.
        public static let linkLost = What(rawValue: "link_lost")
        /// He claimed the chain and did not get it.
        public static let linkDenied = What(rawValue: "link_denied")
        /// What ``TimelineEntry/product`` unlocks was changed.
        public static let mappingChanged = What(rawValue: "mapping_changed")
        /// The app's settings were changed in a way that mattered.
        public static let appChanged = What(rawValue: "app_changed")
        /// A period that was known of before began; nothing but time has passed.
        public static let periodBegan = What(rawValue: "period_began")
        /// A period ran out; nothing but time has passed.
        public static let periodEnded = What(rawValue: "period_ended")
    }

    /// What an entry did to the entitlement, as a stable code.
    public struct Effect: TextIdentifier {
        /// `snake_case`
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Not active before it, active after it.
        public static let began = Effect(rawValue: "began")
        /// Active before and after it, longer after it.
        public static let extended = Effect(rawValue: "extended")
        /// Active before and after it, not so long after it.
        public static let shortened = Effect(rawValue: "shortened")
        /// Active before it, not active after it.
        public static let ended = Effect(rawValue: "ended")
        /// It changed when the entitlement was active in the past, or will be, not whether it is.
        public static let otherTimes = Effect(rawValue: "other_times")
        /// Nothing.
        public static let none = Effect(rawValue: "none")
    }

    /// Why an entry did nothing, as a stable code. Those of denied claims are the outcomes of claims.
    public struct Reason: TextIdentifier {
        /// `snake_case`
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It happened in another environment than the one asked about: sandbox grants nothing in production.
        public static let otherEnvironment = Reason(rawValue: "other_environment")
        /// It belongs to another app's test realm, or to the stores' while the app is a test app.
        public static let otherRealm = Reason(rawValue: "other_realm")
        /// The chain was not his.
        public static let notHeld = Reason(rawValue: "not_held")
        /// Nobody had verified the link, and the app does not let such links grant.
        public static let linkUnverified = Reason(rawValue: "link_unverified")
        /// The product did not unlock the entitlement in this app.
        public static let productNotMapped = Reason(rawValue: "product_not_mapped")
        /// A consumable is used up and grants nothing.
        public static let consumable = Reason(rawValue: "consumable")
        /// The transaction was replaced by an upgrade.
        public static let upgraded = Reason(rawValue: "upgraded")
        /// It was revoked before it could grant, or nothing says until when it grants.
        public static let noPeriod = Reason(rawValue: "no_period")
        /// What it grants was granted already.
        public static let alreadyCovered = Reason(rawValue: "already_covered")
        /// Newer news had come before it.
        public static let overtaken = Reason(rawValue: "overtaken")
        /// Other evidence about the same transaction counts in its place.
        public static let superseded = Reason(rawValue: "superseded")
        /// The verdict on the artifact has turned.
        public static let retracted = Reason(rawValue: "retracted")
        /// Nothing signed is known of the chain.
        public static let noEvidence = Reason(rawValue: "no_evidence")
        /// The claim ranks below the one behind the link.
        public static let outranked = Reason(rawValue: "outranked")
        /// A user before log-in never takes a link from one who is known.
        public static let anonymous = Reason(rawValue: "anonymous")
        /// The app's policy is that links stay.
        public static let kept = Reason(rawValue: "kept")
        /// The app's policy is that links stay while the subscription runs, and it ran.
        public static let stillActive = Reason(rawValue: "still_active")
        /// He had the link already.
        public static let repeated = Reason(rawValue: "repeated")
        /// A newer claim that is as strong took the link.
        public static let moved = Reason(rawValue: "moved")
        /// An operator has given the link to another.
        public static let pinned = Reason(rawValue: "pinned")
    }
}

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
