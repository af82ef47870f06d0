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
