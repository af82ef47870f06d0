public import FoundationEssentials
public import JSON
public import StoreArtifacts

/// An App Store Server Notification (version 2) to be made.
public struct NotificationDesign: Sendable {
    /// Which member it has, apart from those that all have.
    public enum Shape: String, Sendable {
        /// About an app and, as a rule, a transaction in it.
        case data
        /// What became of a request that was about many subscriptions.
        case summary
        /// A token of a purchase outside the store.
        case externalPurchaseToken
        /// About a customer's download of an app.
        case appData
    }

    /// Apple's word, such as `SUBSCRIBED`; any other is one that is not known yet.
    public var type: String
    /// Apple's word, such as `INITIAL_BUY`.
    public var subtype: String?
    /// A UUID, in lower case.
    public var uuid: String
    /// When it was signed; that of what is in it may differ.
    public var signedDate: Date
    /// Which member it has.
    public var shape: Shape
    /// What stands in that member, texts that are signed themselves excepted.
    public var members: [String: JSONValue]
    /// Signed in turn and put into the member.
    public var transaction: TransactionPayload?
    /// Signed in turn and put into the member.
    public var renewal: RenewalPayload?
    /// Signed in turn and put into the member.
    public var appTransaction: AppTransactionPayload?
    /// Further members beside the usual ones.
    public var extra: [String: JSONValue] = [:]

    /// A notification about nothing in particular, as of type `TEST`, until something is put into it.
    public init(
        _ type: String, _ subtype: String? = nil, uuid: String, signedDate: Date, shape: Shape = .data,
        members: [String: JSONValue]
    ) {
        self.type = type
        self.subtype = subtype
        self.uuid = uuid
        self.signedDate = signedDate
        self.shape = shape
        self.members = members
    }
}

extension TestAuthority {
    /// Signs a notification as Apple's server sends it, and what is in it.
    public func signNotification(_ notification: NotificationDesign) throws -> String {
        var members = notification.members
        if let transaction = notification.transaction {
            members["signedTransactionInfo"] = .string(try signTransaction(transaction))
        }
        if let renewal = notification.renewal {
            members["signedRenewalInfo"] = .string(try signRenewal(renewal))
        }
        if let appTransaction = notification.appTransaction {
            members["signedAppTransactionInfo"] = .string(try signAppTransaction(appTransaction))
        }
        var payload = notification.extra
        payload["notificationType"] = .string(notification.type)
        payload["subtype"] = notification.subtype.map(JSONValue.string)
        payload["notificationUUID"] = .string(notification.uuid)
        payload["version"] = .string("2.0")
        payload["signedDate"] = .integer(notification.signedDate.milliseconds)
        payload[notification.shape.rawValue] = .object(members)
        return try sign(try JSONCoding.encode(JSONValue.object(payload)))
    }

    /// Signs a customer's download of an app.
    public func signAppTransaction(_ payload: AppTransactionPayload) throws -> String {
        try sign(try payload.json())
    }

    /// The body of Apple's request: the notification in a member of a JSON object.
    public static func requestBody(of notification: String) -> [UInt8] {
        Array(#"{"signedPayload":"\#(notification)"}"#.utf8)
    }
}

extension Date {
    /// Since 1970, as stores write it.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }
}
