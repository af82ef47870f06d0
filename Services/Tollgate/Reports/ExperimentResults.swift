internal import Messages

/// What an experiment has shown so far: for people and, as JSON, for programs.
struct ExperimentResults: Encodable, Sendable {
    /// A variant by itself.
    struct VariantResult: Encodable, Sendable {
        var variant: VariantKey
        var isControl: Bool
        /// Installs that got it, saw it, and bought after it; counted whenever that was.
        var assigned: Int
        var exposed: Int
        var converted: Int
        /// Those whose conversion window is over, and who of them bought within it: what intervals rest on.
        var matured: Int
        var maturedConverted: Int
        /// Purchases and renewals that were paid back, wholly or in part.
        var refunds: Int
        /// Purchases and renewals without a price; not in the revenue.
        var unpriced: Int
        /// Purchases and renewals that are tied to their user by the caller's word alone.
        var unverified: Int
        var revenue: [Revenue]
    }

    /// In one currency, in thousandths of its unit.
    struct Revenue: Encodable, Sendable {
        var currency: String
        var paid: Int64
        var refunded: Int64
        /// Of installs whose window is over: within it, without what was paid back.
        var matured: Int64
        var maturedPayers: Int
    }

    /// A variant against the control.
    struct Comparison: Encodable, Sendable {
        var variant: VariantKey
        var control: VariantKey
        /// The epochs that it rests on: those in which the two had the same ratio of weights as they have now.
        var epochs: [Int]
        /// The error of this comparison alone, over all looks together.
        var error: Double
        /// Of conversion rates; -1 to 1.
        var conversion: Estimate
        var revenue: [RevenueEstimate]
    }

    /// A difference and where it lies.
    struct Estimate: Encodable, Sendable, Hashable {
        var difference: Double
        var lower: Double
        var upper: Double
    }

    /// Per install whose window is over, in units of the currency.
    struct RevenueEstimate: Encodable, Sendable {
        var currency: String
        var difference: Double
        /// Absent while an arm has too few payers for an asymptotic interval.
        var interval: Estimate?
        /// The least of both arms, and how many each has to have.
        var payers: Int
        var payersNeeded: Int
    }

    /// Whether installs fell to the variants as the weights say.
    struct Ratio: Encodable, Sendable, Hashable {
        /// May be looked at at any time.
        var anytimePValue: Double
        var isOff: Bool
    }

    /// A product of a variant that was not there when its paywall was seen.
    struct MissingSKU: Encodable, Sendable, Hashable {
        var variant: VariantKey
        /// Absent: of impressions that told none.
        var storefront: String?
        var sku: ProductID
        var rendered: Int
        var impressions: Int
    }

    /// Traffic that is not in the results above.
    struct Apart: Encodable, Sendable, Hashable {
        var environment: StoreEnvironment
        var trust: Trust
        var assigned: Int
        var exposed: Int
        var converted: Int
    }

    /// How it was found out.
    struct Methods: Encodable, Sendable {
        var conversion = """
            exact confidence sequence: beta-binomial mixture (Robbins 1970) against the best rates with that difference \
            (Wasserman, Ramdas & Balakrishnan 2020)
            """
        var revenue = """
            asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2021): kept as numbers grow, \
            each currency by itself
            """
        var sampleRatio = "anytime-valid multinomial test (Lindon & Malek 2022)"
    }

    var organisation: OrganisationID
    var app: AppID
    var experiment: ExperimentID
    var name: String
    var entitlement: EntitlementID
    var state: Experiment.State
    /// The moment of the look.
    var at: Timestamp
    var conversionWindowSeconds: Int
    /// The traffic that is judged.
    var environment: StoreEnvironment
    var trust: Trust
    /// An app with roots of its own: nobody has paid anything.
    var isTest: Bool
    /// Only this epoch was asked about; absent: all.
    var epoch: Int?
    var variants: [VariantResult]
    var comparisons: [Comparison]
    /// Of those who were assigned, and of those who have seen it.
    var assignedRatio: Ratio
    var exposedRatio: Ratio
    var users: Int
    var usersOfSeveralVariants: Int
    var missingSKUs: [MissingSKU]
    var apart: [Apart]
    var methods = Methods()
    /// What may be said, and no more.
    var decision: String
}
