internal import FoundationEssentials
public import JSON

extension AppTransactionPayload: SignedPayload {
    private enum Field: String, CodingKey {
        case receiptCreationDate, receiptType, appAppleId, bundleId, applicationVersion, originalApplicationVersion
        case versionExternalIdentifier, originalPurchaseDate, preorderDate, requestDate, deviceVerification
        case deviceVerificationNonce, appTransactionId, originalPlatform
    }

    /// What it is.
    public static var kind: ArtifactKind { .appTransaction }

    /// Reads Apple's JSON.
    public init(_ object: JSONObject) throws(JSONError) {
        guard let signedDate = try object.date("receiptCreationDate") else {
            throw JSONError(.missingMember, path: "receiptCreationDate")
        }
        self.init(signedDate: signedDate)
        signedJSON = object.bytes
        environment = try object.string("receiptType").map(AppleEnvironment.init)
        appAppleID = try object.appleID("appAppleId")
        bundleID = try object.string("bundleId")
        applicationVersion = try object.string("applicationVersion")
        originalApplicationVersion = try object.string("originalApplicationVersion")
        versionExternalID = try object.appleID("versionExternalIdentifier")
        originalPurchaseDate = try object.date("originalPurchaseDate", isAnyAge: true)
        preorderDate = try object.date("preorderDate", isAnyAge: true)
        requestDate = try object.date("requestDate")
        deviceVerification = try object.string("deviceVerification")
        deviceVerificationNonce = try object.string("deviceVerificationNonce")
        appTransactionID = try object.string("appTransactionId")
        originalPlatform = try object.string("originalPlatform")
    }

    /// Whether it names this app.
    public func isFor(bundleID: String) -> Bool { self.bundleID.isSame(as: bundleID) }

    /// The payload as Apple would write it, to be signed.
    public func json() throws(JSONError) -> [UInt8] { try JSONCoding.encode(self) }
}

extension AppTransactionPayload: Encodable {
    /// Writes Apple's JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try container.encodeMilliseconds(signedDate, forKey: .receiptCreationDate)
        try container.encodeIfPresent(environment, forKey: .receiptType)
        try container.encodeIfPresent(appAppleID, forKey: .appAppleId)
        try container.encodeIfPresent(bundleID, forKey: .bundleId)
        try container.encodeIfPresent(applicationVersion, forKey: .applicationVersion)
        try container.encodeIfPresent(originalApplicationVersion, forKey: .originalApplicationVersion)
        try container.encodeIfPresent(versionExternalID, forKey: .versionExternalIdentifier)
        try container.encodeMilliseconds(originalPurchaseDate, forKey: .originalPurchaseDate)
        try container.encodeMilliseconds(preorderDate, forKey: .preorderDate)
        try container.encodeMilliseconds(requestDate, forKey: .requestDate)
        try container.encodeIfPresent(deviceVerification, forKey: .deviceVerification)
        try container.encodeIfPresent(deviceVerificationNonce, forKey: .deviceVerificationNonce)
        try container.encodeIfPresent(appTransactionID, forKey: .appTransactionId)
        try container.encodeIfPresent(originalPlatform, forKey: .originalPlatform)
    }
}
