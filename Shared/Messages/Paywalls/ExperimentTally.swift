/// Asks a partition what it knows of an experiment's outcome; the partitions' answers are added up. Sent by the operator's
/// tool, or by the edge.
public struct ExperimentTallyGet: Query, NamingPartition {
    /// `experiment.tally.v1`
    public static let kind: MessageKind = "experiment.tally.v1"
    /// The experiments.
    public static let recipient = ServiceName.paywallExperiments
    /// Who shows results.
    public static let authors: [BrokerUser]? = [.operatorTool, BrokerUser(of: .attestGateway)]
    /// Sums.
    public typealias Value = ExperimentTally

    /// Which partition.
    public var partition: Int
    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// The experiment.
    public var experiment: ExperimentID
    /// The moment asked about, the same for all partitions: by it is judged whose conversion window is over.
    public var at: Timestamp
    /// For how long after its exposure an install's purchases count in the intervals.
    public var windowMilliseconds: Int64

    /// A question to this partition.
    public init(
        partition: Int, organisation: OrganisationID, app: AppID, experiment: ExperimentID, at: Timestamp,
        windowMilliseconds: Int64
    ) {
        self.partition = partition
        self.organisation = organisation
        self.app = app
        self.experiment = experiment
        self.at = at
        self.windowMilliseconds = windowMilliseconds
    }
}

/// Sums over the installs and users of a partition, or of several.
public struct ExperimentTally: Codable, Sendable, Hashable {
    /// Installs that are counted together.
    public struct Stratum: Codable, Sendable, Hashable, Comparable {
        /// In which they were assigned.
        public var epoch: Int
        /// What they were assigned.
        public var variant: VariantKey
        /// Where the app runs.
        public var environment: StoreEnvironment
        /// Of the assignment or of the impression, whichever it is about.
        public var trust: Trust

        /// A stratum of these.
        public init(epoch: Int, variant: VariantKey, environment: StoreEnvironment, trust: Trust) {
            self.epoch = epoch
            self.variant = variant
            self.environment = environment
            self.trust = trust
        }

        /// By epoch, variant, environment and trust.
        public static func < (left: Self, right: Self) -> Bool {
            (left.epoch, left.variant, left.environment, left.trust)
                < (right.epoch, right.variant, right.environment, right.trust)
        }
    }

    /// How many installs of a stratum did what.
    public struct Count: Codable, Sendable, Hashable {
        /// Of these.
        public var stratum: Stratum
        /// Got their variant; by the trust of the fetch.
        public var assigned: Int
        /// Have seen it; by the trust of the first impression, as all that follows.
        public var exposed: Int
        /// Of them, with a purchase that counts.
        public var converted: Int
        /// Exposed so long ago that their conversion window is over.
        public var matured: Int
        /// Of these, with a purchase within the window.
        public var maturedConverted: Int
        /// Purchases and renewals that were paid back, wholly or in part.
        public var refunds: Int
        /// Purchases and renewals whose price the store has not told.
        public var unpriced: Int
        /// Purchases that are tied to their user by the caller's word alone.
        public var unverified: Int

        /// Counts of these.
        public init(
            stratum: Stratum, assigned: Int = 0, exposed: Int = 0, converted: Int = 0, matured: Int = 0,
            maturedConverted: Int = 0, refunds: Int = 0, unpriced: Int = 0, unverified: Int = 0
        ) {
            self.stratum = stratum
            self.assigned = assigned
            self.exposed = exposed
            self.converted = converted
            self.matured = matured
            self.maturedConverted = maturedConverted
            self.refunds = refunds
            self.unpriced = unpriced
            self.unverified = unverified
        }
    }

    /// What a stratum has paid in one currency, in thousandths of its unit.
    public struct Revenue: Codable, Sendable, Hashable {
        /// By these.
        public var stratum: Stratum
        /// ISO 4217.
        public var currency: String
        /// All that was paid.
        public var paid: Int64
        /// All that was paid back of it.
        public var refunded: Int64
        /// What installs whose window is over have paid within it and not got back.
        public var matured: Int64
        /// The sum of the squares of that by install.
        public var maturedSquares: Double
        /// Of how many installs that is.
        public var maturedPayers: Int

        /// Revenue of these.
        public init(
            stratum: Stratum, currency: String, paid: Int64, refunded: Int64, matured: Int64, maturedSquares: Double,
            maturedPayers: Int
        ) {
            self.stratum = stratum
            self.currency = currency
            self.paid = paid
            self.refunded = refunded
            self.matured = matured
            self.maturedSquares = maturedSquares
            self.maturedPayers = maturedPayers
        }
    }

    /// How often a variant was rendered in a country, and with which products.
    public struct Rendering: Codable, Sendable, Hashable {
        /// By installs of these.
        public var stratum: Stratum
        /// As told; absent: not told.
        public var storefront: String?
        /// The products that were there, of those of the arm, in its order.
        public var skus: [ProductID]
        /// How many impressions.
        public var impressions: Int

        /// A rendering of these.
        public init(stratum: Stratum, storefront: String?, skus: [ProductID], impressions: Int) {
            self.stratum = stratum
            self.storefront = storefront
            self.skus = skus
            self.impressions = impressions
        }
    }

    /// How many users have seen an experiment, in one environment and by one kind of word.
    public struct Audience: Codable, Sendable, Hashable {
        /// Where the app runs.
        public var environment: StoreEnvironment
        /// Whether genuine apps saw it and named them. Who is told of by genuine apps and by others counts in both.
        public var trust: Trust
        /// Users that an exposed install has named.
        public var users: Int
        /// Of them, with installs of different variants.
        public var ofSeveralVariants: Int

        /// An audience of these.
        public init(environment: StoreEnvironment, trust: Trust, users: Int, ofSeveralVariants: Int) {
            self.environment = environment
            self.trust = trust
            self.users = users
            self.ofSeveralVariants = ofSeveralVariants
        }
    }

    /// By stratum.
    public var counts: [Count]
    /// By stratum and currency.
    public var revenue: [Revenue]
    /// By stratum, storefront and products; without the rarest where a partition has more than 2,000.
    public var renderings: [Rendering]
    /// By environment and trust.
    public var audience: [Audience]

    /// A tally of these; of nothing unless given.
    public init(
        counts: [Count] = [], revenue: [Revenue] = [], renderings: [Rendering] = [], audience: [Audience] = []
    ) {
        self.counts = counts
        self.revenue = revenue
        self.renderings = renderings
        self.audience = audience
    }
}
