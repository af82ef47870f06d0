/// A price of its own for one period of a subscription.
public struct StoreOffer: Hashable, Sendable {
    /// Apple's numbers for kinds of offers.
    public enum Kind: Int, Sendable {
        /// For those who have never had one in the group.
        case introductory = 1
        /// For those whom the app chooses.
        case promotional = 2
        /// For those who have a code.
        case code = 3
        /// For those who once subscribed.
        case winBack = 4
    }

    /// What kind of offer it is.
    public var kind: Kind
    /// The offer's name, or the code's; introductory ones have none.
    public var identifier: String?
    /// How long it lasts.
    public var period: Duration
    /// In thousandths of the currency's unit; 0: a free trial.
    public var price: Int64

    /// An offer for one period.
    public init(_ kind: Kind, _ identifier: String? = nil, period: Duration, price: Int64) {
        self.kind = kind
        self.identifier = identifier
        self.period = period
        self.price = price
    }

    /// A free week, for newcomers.
    public static let trial = StoreOffer(.introductory, period: .days(7), price: 0)

    /// Apple's word for how it is paid.
    var discountType: String { price == 0 ? "FREE_TRIAL" : "PAY_UP_FRONT" }

    /// ISO 8601.
    var periodText: String {
        let days = period.components.seconds / 86_400
        return days.isMultiple(of: 7) ? "P\(days / 7)W" : "P\(days)D"
    }
}

extension Duration {
    /// Days of 24 hours.
    public static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }

    var timeInterval: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
