/// One offer of a paywall.
public struct PaywallSKU: Codable, Sendable, Hashable {
    /// As many as one paywall or variant offers at most, and so as an app can have shown of it.
    public static let mostOffers = 50

    /// As what a store sells a product.
    public struct Kind: TextIdentifier {
        /// The text.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Renews, or lapses.
        public static let subscription = Kind(rawValue: "subscription")
        /// Bought once, or as often as it is used up.
        public static let iap = Kind(rawValue: "iap")
        /// All kinds of this release.
        public static let all = [subscription, iap]
    }

    /// What is sold.
    public var product: ProductID
    /// As what.
    public var kind: Kind

    /// An offer of these.
    public init(product: ProductID, kind: Kind) {
        self.product = product
        self.kind = kind
    }
}
