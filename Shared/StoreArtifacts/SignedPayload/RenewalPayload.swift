public import FoundationEssentials

/// What will become of a subscription at the end of its period (`JWSRenewalInfoDecodedPayload` in Apple's words).
///
/// It names no app: what it belongs to is told by ``originalTransactionID``. Everything but the date of signing may be
/// absent.
public struct RenewalPayload: Hashable, Sendable {
    /// The first transaction of the subscription.
    public var originalTransactionID: String?
    /// The product of the current period.
    public var productID: String?
    /// The product of the next one.
    public var autoRenewProductID: String?
    /// 1 if it is going to renew, 0 if the customer has switched that off.
    public var autoRenewStatus: Int?
    /// Why it has ended: 1 cancelled, 2 billing, 3 price not agreed to, 4 product withdrawn, 5 other.
    public var expirationIntent: Int?
    /// Apple is still trying to charge the customer.
    public var isInBillingRetry: Bool?
    /// Until when the customer keeps what he has while Apple tries.
    public var gracePeriodExpiresDate: Date?
    /// 0 if the customer has not agreed to a higher price yet, 1 if he has.
    public var priceIncreaseStatus: Int?
    /// 1 introductory, 2 promotional, 3 code, 4 win-back.
    public var offerType: Int?
    /// The promotional offer's name or the code's.
    public var offerIdentifier: String?
    /// When this was signed.
    public var signedDate: Date
    /// Where it comes from; absent before 2022.
    public var environment: AppleEnvironment?
    /// Start of the latest run of periods without a gap of 60 days.
    public var recentSubscriptionStartDate: Date?
    /// When the next period begins.
    public var renewalDate: Date?
    /// What the next period costs, in thousandths.
    public var renewalPrice: Int64?
    /// ISO 4217.
    public var currency: String?
    /// The app's own name for the customer, as it gave it to StoreKit: a UUID.
    public var appAccountToken: String?
    /// The customer's download of the app.
    public var appTransactionID: String?

    /// The payload as it was signed, with fields that are not listed here; empty for one that was not.
    public internal(set) var signedJSON: [UInt8] = []

    /// Information that nobody has signed yet and of which nothing is known but when that will be.
    public init(signedDate: Date) {
        self.signedDate = signedDate
    }
}
