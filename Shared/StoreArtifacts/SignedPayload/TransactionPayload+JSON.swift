internal import FoundationEssentials
public import JSON

extension TransactionPayload: SignedPayload {
    private enum Field: String, CodingKey {
        case transactionId, originalTransactionId, webOrderLineItemId, bundleId, productId, subscriptionGroupIdentifier
        case type, purchaseDate, originalPurchaseDate, expiresDate, revocationDate, revocationReason, signedDate
        case revocationType, revocationPercentage, offerDiscountType, offerPeriod
        case environment, appAccountToken, inAppOwnershipType, quantity, price, currency, storefront, storefrontId
        case offerType, offerIdentifier, isUpgraded, transactionReason, appTransactionId
    }

    /// What it is.
    public static var kind: ArtifactKind { .transaction }

    /// Reads Apple's JSON.
    public init(_ object: JSONObject) throws(JSONError) {
        guard let signedDate = try object.date("signedDate") else {
            throw JSONError(.missingMember, path: "signedDate")
        }
        self.init(signedDate: signedDate)
        signedJSON = object.bytes
        transactionID = try object.string("transactionId")
        originalTransactionID = try object.string("originalTransactionId")
        webOrderLineItemID = try object.string("webOrderLineItemId")
        bundleID = try object.string("bundleId")
        productID = try object.string("productId")
        subscriptionGroupID = try object.string("subscriptionGroupIdentifier")
        type = try object.string("type").map(ProductType.init)
        purchaseDate = try object.date("purchaseDate")
        originalPurchaseDate = try object.date("originalPurchaseDate")
        expiresDate = try object.date("expiresDate")
        revocationDate = try object.date("revocationDate")
        revocationReason = try object.integer("revocationReason")
        revocationType = try object.string("revocationType").map(RevocationType.init)
        revocationPercentage = try object.milliunits("revocationPercentage")
        environment = try object.string("environment").map(AppleEnvironment.init)
        appAccountToken = try object.string("appAccountToken")
        ownership = try object.string("inAppOwnershipType").map(Ownership.init)
        quantity = try object.integer("quantity")
        price = try object.milliunits("price")
        currency = try object.string("currency")
        storefront = try object.string("storefront")
        storefrontID = try object.string("storefrontId")
        offerType = try object.integer("offerType")
        offerIdentifier = try object.string("offerIdentifier")
        offerDiscountType = try object.string("offerDiscountType")
        offerPeriod = try object.string("offerPeriod")
        isUpgraded = try object.boolean("isUpgraded")
        transactionReason = try object.string("transactionReason")
        appTransactionID = try object.string("appTransactionId")
    }

    /// Whether it names this app.
    public func isFor(bundleID: String) -> Bool { self.bundleID.isSame(as: bundleID) }

    /// The payload as Apple would write it, to be signed.
    public func json() throws(JSONError) -> [UInt8] { try JSONCoding.encode(self) }
}

extension TransactionPayload: Encodable {
    /// Writes Apple's JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try container.encodeIfPresent(transactionID, forKey: .transactionId)
        try container.encodeIfPresent(originalTransactionID, forKey: .originalTransactionId)
        try container.encodeIfPresent(webOrderLineItemID, forKey: .webOrderLineItemId)
        try container.encodeIfPresent(bundleID, forKey: .bundleId)
        try container.encodeIfPresent(productID, forKey: .productId)
        try container.encodeIfPresent(subscriptionGroupID, forKey: .subscriptionGroupIdentifier)
        try container.encodeIfPresent(type, forKey: .type)
        try container.encodeMilliseconds(purchaseDate, forKey: .purchaseDate)
        try container.encodeMilliseconds(originalPurchaseDate, forKey: .originalPurchaseDate)
        try container.encodeMilliseconds(expiresDate, forKey: .expiresDate)
        try container.encodeMilliseconds(revocationDate, forKey: .revocationDate)
        try container.encodeIfPresent(revocationReason, forKey: .revocationReason)
        try container.encodeIfPresent(revocationType, forKey: .revocationType)
        try container.encodeIfPresent(revocationPercentage, forKey: .revocationPercentage)
        try container.encodeMilliseconds(signedDate, forKey: .signedDate)
        try container.encodeIfPresent(environment, forKey: .environment)
        try container.encodeIfPresent(appAccountToken, forKey: .appAccountToken)
        try container.encodeIfPresent(ownership, forKey: .inAppOwnershipType)
        try container.encodeIfPresent(quantity, forKey: .quantity)
        try container.encodeIfPresent(price, forKey: .price)
        try container.encodeIfPresent(currency, forKey: .currency)
        try container.encodeIfPresent(storefront, forKey: .storefront)
        try container.encodeIfPresent(storefrontID, forKey: .storefrontId)
        try container.encodeIfPresent(offerType, forKey: .offerType)
        try container.encodeIfPresent(offerIdentifier, forKey: .offerIdentifier)
        try container.encodeIfPresent(offerDiscountType, forKey: .offerDiscountType)
        try container.encodeIfPresent(offerPeriod, forKey: .offerPeriod)
        try container.encodeIfPresent(isUpgraded, forKey: .isUpgraded)
        try container.encodeIfPresent(transactionReason, forKey: .transactionReason)
        try container.encodeIfPresent(appTransactionID, forKey: .appTransactionId)
    }
}
