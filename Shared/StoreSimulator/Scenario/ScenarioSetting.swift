public import StoreArtifacts

/// Whose purchases a scenario is about.
public struct ScenarioSetting: Sendable {
    /// The app.
    public var bundleID: String
    /// The developer's team: for App Attest.
    public var teamID = "TEAM123456"
    /// Apple's number of the app.
    public var appAppleID: Int64 = 1_600_000_001
    /// Where it is bought: `Production` or `Sandbox`.
    public var environment = AppleEnvironment.production
    /// The app's own name for the buyer, a UUID.
    public var appAccountToken: String?
    /// What is sold.
    public var products: Products

    /// The app's id in App Attest.
    public var appID: String { "\(teamID).\(bundleID)" }

    /// Products under names that begin as the app's.
    public init(bundleID: String = "com.example.tunes") {
        self.bundleID = bundleID
        self.products = Products(prefix: bundleID)
    }

    /// What is sold, by the part that it plays.
    public struct Products: Sendable {
        /// A month of the better service; the subscription of all scenarios that say nothing else.
        public var monthly: StoreProduct
        /// A year of the same.
        public var yearly: StoreProduct
        /// A month of the same, under another name.
        public var alternative: StoreProduct
        /// A month of the lesser service.
        public var basic: StoreProduct
        /// Bought once.
        public var lifetime: StoreProduct
        /// Used up.
        public var coins: StoreProduct
        /// Runs out, and does not renew.
        public var season: StoreProduct

        init(prefix: String) {
            monthly = .subscription("\(prefix).pro.monthly", price: 9_990)
            yearly = .subscription("\(prefix).pro.yearly", period: .days(365), price: 79_990)
            alternative = .subscription("\(prefix).pro.monthly.2", price: 9_490)
            basic = .subscription("\(prefix).basic.monthly", price: 4_990)
            lifetime = .nonConsumable("\(prefix).lifetime", price: 149_990)
            coins = .consumable("\(prefix).coins", price: 1_990)
            season = .nonRenewing("\(prefix).season", price: 19_990)
        }

        /// Which product plays which part.
        public enum Part: String, CaseIterable, Sendable {
            case monthly, yearly, alternative, basic, lifetime, coins, season
        }

        /// What plays a part.
        public subscript(part: Part) -> StoreProduct {
            get { self[keyPath: Self.path(to: part)] }
            set { self[keyPath: Self.path(to: part)] = newValue }
        }

        private static func path(to part: Part) -> WritableKeyPath<Products, StoreProduct> {
            switch part {
            case .monthly: \.monthly
            case .yearly: \.yearly
            case .alternative: \.alternative
            case .basic: \.basic
            case .lifetime: \.lifetime
            case .coins: \.coins
            case .season: \.season
            }
        }
    }
}
