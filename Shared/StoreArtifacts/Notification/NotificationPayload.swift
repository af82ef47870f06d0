public import FoundationEssentials

/// What Apple's server tells about purchases (`responseBodyV2DecodedPayload` of App Store Server Notifications V2).
///
/// What is written as a text that Apple signed by itself is still such a text here: ``NotificationVerifier`` verifies
/// and reads it.
public struct NotificationPayload: Hashable, Sendable {
    /// What has happened.
    public var type: EventType
    /// What it is in particular, for types that have more than one case.
    public var subtype: Subtype?
    /// Names the notification: Apple sends it again under the same one until it is answered. A UUID.
    public var notificationUUID: String
    /// `2.0`.
    public var version: String?
    /// When it was signed.
    public var signedDate: Date
    /// What it is about.
    public var subject: Subject?

    /// The payload as it was signed, with fields that are not listed here; empty for one that was not.
    public internal(set) var signedJSON: [UInt8] = []

    /// A notification that nobody has signed yet.
    public init(_ type: EventType, _ subtype: Subtype? = nil, notificationUUID: String, signedDate: Date) {
        self.type = type
        self.subtype = subtype
        self.notificationUUID = notificationUUID
        self.signedDate = signedDate
    }
}

extension NotificationPayload {
    /// What a notification is about: one object in its payload, whose name tells its shape.
    public struct Subject: Hashable, Sendable {
        /// Which of the objects it is.
        public struct Shape: RawRepresentable, Hashable, Sendable {
            /// The name of the object.
            public let rawValue: String
            /// Any name.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A purchase, or in a test none.
            public static let data = Shape(rawValue: "data")
            /// All subscriptions whose renewal date was extended at once.
            public static let summary = Shape(rawValue: "summary")
            /// A token for purchases outside of the App Store.
            public static let externalPurchaseToken = Shape(rawValue: "externalPurchaseToken")
            /// A customer's download of the app.
            public static let appData = Shape(rawValue: "appData")

            /// All that are known; Apple says that a payload has one of them.
            static let all = [data, summary, externalPurchaseToken, appData]
        }

        /// Which of the objects it is.
        public var shape: Shape
        /// Apple's number of the app; absent in most of what comes from the sandbox.
        public var appAppleID: Int64?
        /// The app.
        public var bundleID: String?
        /// The version of the build.
        public var bundleVersion: String?
        /// Where it happened. An external purchase token tells by the first letters of its id.
        public var environment: AppleEnvironment?
        /// Of a subscription at the date of signing: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
        public var status: Int?
        /// Why the customer wants his money back; only in `CONSUMPTION_REQUEST`.
        public var consumptionRequestReason: String?
        /// The transaction, signed by itself.
        public var signedTransactionInfo: String?
        /// The renewal information, signed by itself.
        public var signedRenewalInfo: String?
        /// The download, signed by itself.
        public var signedAppTransactionInfo: String?
        /// Names the external purchase token.
        public var externalPurchaseID: String?

        /// A subject of which nothing is known.
        public init(_ shape: Shape) {
            self.shape = shape
        }
    }
}
