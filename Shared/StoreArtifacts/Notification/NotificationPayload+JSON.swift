internal import FoundationEssentials
public import JSON

extension NotificationPayload: SignedPayload {
    private enum Field: String, CodingKey {
        case notificationType, subtype, notificationUUID, version, signedDate
        case data, summary, externalPurchaseToken, appData
    }

    /// What it is.
    public static var kind: ArtifactKind { .notification }

    /// Where it happened, if its subject tells.
    public var environment: AppleEnvironment? { subject?.environment }

    /// Apple's number of the app, if its subject tells.
    public var appAppleID: Int64? { subject?.appAppleID }

    /// Reads Apple's JSON.
    public init(_ object: JSONObject) throws(JSONError) {
        self.init(
            EventType(rawValue: try object.required("notificationType", object.string)),
            notificationUUID: try object.required("notificationUUID", object.string),
            signedDate: try object.required("signedDate") { name throws(JSONError) in try object.date(name) })
        signedJSON = object.bytes
        subtype = try object.string("subtype").map(Subtype.init)
        version = try object.string("version")
        for shape in Subject.Shape.all where subject == nil {
            subject = try object.object(shape.rawValue).map { inner throws(JSONError) in try Subject(shape, inner) }
        }
    }

    /// Whether its subject names this app.
    public func isFor(bundleID: String) -> Bool { (subject?.bundleID).isSame(as: bundleID) }

    /// The payload as Apple would write it, to be signed.
    public func json() throws(JSONError) -> [UInt8] { try JSONCoding.encode(self) }
}

extension NotificationPayload: Encodable {
    /// Writes Apple's JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try container.encode(type, forKey: .notificationType)
        try container.encodeIfPresent(subtype, forKey: .subtype)
        try container.encode(notificationUUID, forKey: .notificationUUID)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encodeMilliseconds(signedDate, forKey: .signedDate)
        guard let subject, let field = Field(rawValue: subject.shape.rawValue) else { return }
        try container.encode(subject, forKey: field)
    }
}

extension NotificationPayload.Subject: Encodable {
    private enum Field: String, CodingKey {
        case appAppleId, bundleId, bundleVersion, environment, status, consumptionRequestReason
        case signedTransactionInfo, signedRenewalInfo, signedAppTransactionInfo, externalPurchaseId
    }

    fileprivate init(_ shape: Shape, _ object: JSONObject) throws(JSONError) {
        self.init(shape)
        appAppleID = try object.appleID("appAppleId")
        bundleID = try object.string("bundleId")
        bundleVersion = try object.string("bundleVersion")
        status = try object.integer("status")
        consumptionRequestReason = try object.string("consumptionRequestReason")
        signedTransactionInfo = try object.string("signedTransactionInfo")
        signedRenewalInfo = try object.string("signedRenewalInfo")
        signedAppTransactionInfo = try object.string("signedAppTransactionInfo")
        externalPurchaseID = try object.string("externalPurchaseId")
        environment = try object.string("environment").map(AppleEnvironment.init)
        if shape == .externalPurchaseToken, environment == nil {
            environment = externalPurchaseID.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
        }
    }

    /// Writes Apple's JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try container.encodeIfPresent(appAppleID, forKey: .appAppleId)
        try container.encodeIfPresent(bundleID, forKey: .bundleId)
        try container.encodeIfPresent(bundleVersion, forKey: .bundleVersion)
        if shape != .externalPurchaseToken { try container.encodeIfPresent(environment, forKey: .environment) }
        try container.encodeIfPresent(status, forKey: .status)
        try container.encodeIfPresent(consumptionRequestReason, forKey: .consumptionRequestReason)
        try container.encodeIfPresent(signedTransactionInfo, forKey: .signedTransactionInfo)
        try container.encodeIfPresent(signedRenewalInfo, forKey: .signedRenewalInfo)
        try container.encodeIfPresent(signedAppTransactionInfo, forKey: .signedAppTransactionInfo)
        try container.encodeIfPresent(externalPurchaseID, forKey: .externalPurchaseId)
    }
}
