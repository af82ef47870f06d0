/// What a purchase of a user counts for in an experiment: from the user's partition of paywall-experiments to that of the
/// install whose exposure it counts for. Key: `<organisation>/<bundle id>/<installID>`.
///
/// Of one user, purchase, experiment and install the highest revision counts, in any order.
public struct OutcomeCredit: Command {
    /// `outcome.credit.v1`
    public static let kind: MessageKind = "outcome.credit.v1"
    /// The experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// The experiments alone.
    public static let authors: [BrokerUser]? = [BrokerUser(of: .paywallExperiments)]

    /// What was bought, and what of it was paid back.
    public struct Purchase: Codable, Sendable, Hashable {
        /// When it was bought.
        public var purchasedAt: Timestamp
        /// Whether it is no renewal of an earlier purchase: only such a one converts.
        public var isFirst: Bool
        /// ISO 4217; absent with the price.
        public var currency: String?
        /// What was paid, in thousandths of the currency's unit; absent: the store has not told.
        public var paidMilliunits: Int64?
        /// What of it was paid back.
        public var refundedMilliunits: Int64
        /// Whether all of it was paid back, or some of it: absent: nothing was.
        public var refund: Refund?
        /// How well the link of the purchase to the user is founded.
        public var rank: ClaimRank
        /// That of the exposure, as its user knows it: what attested callers have seen is credited only to users whom such
        /// callers have named. Absent: nobody's word but the user's.
        public var trust: Trust?

        /// How much was paid back.
        public struct Refund: TextIdentifier {
            /// The text.
            public let rawValue: String
            /// Takes the text as it is.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// All of it: it counts as no purchase.
            public static let full = Refund(rawValue: "full")
            /// A part.
            public static let partial = Refund(rawValue: "partial")
        }

        /// A purchase of these.
        public init(
            purchasedAt: Timestamp, isFirst: Bool, currency: String?, paidMilliunits: Int64?,
            refundedMilliunits: Int64 = 0, refund: Refund? = nil, rank: ClaimRank, trust: Trust? = nil
        ) {
            self.purchasedAt = purchasedAt
            self.isFirst = isFirst
            self.currency = currency
            self.paidMilliunits = paidMilliunits
            self.refundedMilliunits = refundedMilliunits
            self.refund = refund
            self.rank = rank
            self.trust = trust
        }
    }

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The install.
    public var install: InstallID
    /// The experiment.
    public var experiment: ExperimentID
    /// That of the exposure.
    public var environment: StoreEnvironment
    /// Who has bought it.
    public var user: AppUserID
    /// When the install named him first: from before an erasure of him, it is nobody's.
    public var namedAt: Timestamp
    /// Where the store says that it was bought.
    public var realm: Realm
    /// The purchase or renewal.
    public var transaction: TransactionID
    /// Absent: it counts for this install no more.
    public var purchase: Purchase?
    /// Raised with every change; at least the time of it, so that it grows on after an erasure.
    public var revision: Int64

    /// A credit of these.
    public init(
        organisation: OrganisationID, app: AppID, install: InstallID, experiment: ExperimentID,
        environment: StoreEnvironment, user: AppUserID, namedAt: Timestamp, realm: Realm, transaction: TransactionID,
        purchase: Purchase?, revision: Int64
    ) {
        self.organisation = organisation
        self.app = app
        self.install = install
        self.experiment = experiment
        self.environment = environment
        self.user = user
        self.namedAt = namedAt
        self.realm = realm
        self.transaction = transaction
        self.purchase = purchase
        self.revision = revision
    }

    /// Organisation, app and install.
    public var key: String { Key.install(organisation, app, install) }
}
