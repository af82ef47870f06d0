public import FoundationEssentials
public import JSON

/// A purchase of Google Play or AppCoins, as the store has signed it for the app.
///
/// That it is genuine does not mean that it grants anything: look at ``state``, and whether somebody else has shown the
/// same ``purchaseToken`` before.
public struct SignedPurchase: Hashable, Sendable {
    /// Who sells.
    public struct Marketplace: RawRepresentable, Hashable, Sendable, Codable {
        /// The word in messages and answers.
        public let rawValue: String
        /// Any word, known here or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Google Play.
        public static let googlePlay = Marketplace(rawValue: "google_play")
        /// AppCoins, whose stores sell through Catappult.
        public static let catappult = Marketplace(rawValue: "catappult")
    }

    /// What has become of it until it was signed.
    public struct State: RawRepresentable, Hashable, Sendable, Codable {
        /// The store's number.
        public let rawValue: Int
        /// Any number, known here or not.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Paid. No other state grants anything.
        public static let purchased = State(rawValue: 0)
        /// Cancelled, but genuine.
        public static let cancelled = State(rawValue: 1)
        /// Paid back; only in old purchases of Google.
        public static let refunded = State(rawValue: 2)
        /// Not paid yet, in Google's purchases.
        public static let pending = State(rawValue: 4)
    }

    /// Who sells: told by the token, which at AppCoins begins with `catappult.`.
    public let marketplace: Marketplace
    /// The order; Google leaves it out of some tests.
    public let orderID: String?
    /// The app.
    public let packageName: String
    /// The product.
    public let productID: String
    /// When it was bought.
    public let purchaseTime: Date
    /// What has become of it.
    public let state: State
    /// Names the purchase, and is what a server asks the store with. At AppCoins it is the `uid`.
    public let purchaseToken: String
    /// What the app passed to the store.
    public let developerPayload: String?
    /// Whether it is going to renew; only subscriptions tell.
    public let isAutoRenewing: Bool?
    /// Whether it is a subscription; `nil` where the data does not tell, as most of single purchases do not.
    public let isSubscription: Bool?
    /// What was signed, byte for byte.
    public let signedData: [UInt8]

    /// The members of what was signed, as they were written; whole numbers beyond 2^53 are texts.
    public var fields: [String: JSONValue] {
        (try? JSONObject(signedData, limits: JSONLimits(depth: .max, bytes: .max)))?.values ?? [:]
    }
}

extension SignedPurchase {
    /// How Catappult's tokens begin.
    private static let catappultTokens = "catappult."

    /// Reads what was signed.
    ///
    /// AppCoins' purchases have all seven members, Google's may lack the order and the payload. What is not known here
    /// is no error.
    ///
    /// - Throws: ``JSONError`` with the member that is missing or of the wrong type.
    init(_ signedData: [UInt8]) throws(JSONError) {
        let object = try JSONObject(signedData, limits: JSONLimits(depth: 16, bytes: signedData.count))
        let milliseconds = try object.required("purchaseTime", object.integer)
        guard 0..<253_402_300_800_000 ~= milliseconds else { throw JSONError(.badValue, path: "purchaseTime") }
        packageName = try object.required("packageName", object.string)
        productID = try object.required("productId", object.string)
        purchaseToken = try object.required("purchaseToken", object.string)
        purchaseTime = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        state = State(rawValue: try object.required("purchaseState", object.integer))
        marketplace = purchaseToken.hasPrefix(Self.catappultTokens) ? .catappult : .googlePlay
        if marketplace == .catappult {
            orderID = try object.required("orderId", object.string)
            developerPayload = try object.required("developerPayload", object.string)
        } else {
            orderID = try object.string("orderId")
            developerPayload = try object.string("developerPayload")
        }
        isAutoRenewing = try object.boolean("autoRenewing")
        isSubscription =
            switch (try? object.string("type"))??.lowercased() {
            case "subs": true
            case "inapp": false
            default: isAutoRenewing == nil ? nil : true
            }
        self.signedData = signedData
    }
}
