internal import FoundationEssentials
public import JSON

extension RenewalPayload: SignedPayload {
    private enum Field: String, CodingKey {
        case originalTransactionId, productId, autoRenewProductId, autoRenewStatus, expirationIntent
        case isInBillingRetryPeriod, gracePeriodExpiresDate, priceIncreaseStatus, offerType, offerIdentifier, signedDate
        case environment, recentSubscriptionStartDate, renewalDate, renewalPrice, currency, appAccountToken
        case appTransactionId
    }

    /// What it is.
    public static var kind: ArtifactKind { .renewal }

    /// Reads Apple's JSON.
    public init(_ object: JSONObject) throws(JSONError) {
        guard let signedDate = try object.date("signedDate") else {
            throw JSONError(.missingMember, path: "signedDate")
        }
        self.init(signedDate: signedDate)
        signedJSON = object.bytes
        originalTransactionID = try object.string("originalTransactionId")
        productID = try object.string("productId")
        autoRenewProductID = try object.string("autoRenewProductId")
        autoRenewStatus = try object.integer("autoRenewStatus")
        expirationIntent = try object.integer("expirationIntent")
        isInBillingRetry = try object.boolean("isInBillingRetryPeriod")
        gracePeriodExpiresDate = try object.date("gracePeriodExpiresDate")
        priceIncreaseStatus = try object.integer("priceIncreaseStatus")
        offerType = try object.integer("offerType")
        offerIdentifier = try object.string("offerIdentifier")
        environment = try object.string("environment").map(AppleEnvironment.init)
        recentSubscriptionStartDate = try object.date("recentSubscriptionStartDate")
        renewalDate = try object.date("renewalDate")
        renewalPrice = try object.milliunits("renewalPrice")
        currency = try object.string("currency")
        appAccountToken = try object.string("appAccountToken")
        appTransactionID = try object.string("appTransactionId")
    }

    /// Always: renewal information names no app.
    public func isFor(bundleID: String) -> Bool { true }

    /// The payload as Apple would write it, to be signed.
    public func json() throws(JSONError) -> [UInt8] { try JSONCoding.encode(self) }
}

extension RenewalPayload: Encodable {
    /// Writes Apple's JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try container.encodeIfPresent(originalTransactionID, forKey: .originalTransactionId)
        try container.encodeIfPresent(productID, forKey: .productId)
        try container.encodeIfPresent(autoRenewProductID, forKey: .autoRenewProductId)
        try container.encodeIfPresent(autoRenewStatus, forKey: .autoRenewStatus)
        try container.encodeIfPresent(expirationIntent, forKey: .expirationIntent)
        try container.encodeIfPresent(isInBillingRetry, forKey: .isInBillingRetryPeriod)
        try container.encodeMilliseconds(gracePeriodExpiresDate, forKey: .gracePeriodExpiresDate)
        try container.encodeIfPresent(priceIncreaseStatus, forKey: .priceIncreaseStatus)
        try container.encodeIfPresent(offerType, forKey: .offerType)
        try container.encodeIfPresent(offerIdentifier, forKey: .offerIdentifier)
        try container.encodeMilliseconds(signedDate, forKey: .signedDate)
        try container.encodeIfPresent(environment, forKey: .environment)
        try container.encodeMilliseconds(recentSubscriptionStartDate, forKey: .recentSubscriptionStartDate)
        try container.encodeMilliseconds(renewalDate, forKey: .renewalDate)
        try container.encodeIfPresent(renewalPrice, forKey: .renewalPrice)
        try container.encodeIfPresent(currency, forKey: .currency)
        try container.encodeIfPresent(appAccountToken, forKey: .appAccountToken)
        try container.encodeIfPresent(appTransactionID, forKey: .appTransactionId)
    }
}
