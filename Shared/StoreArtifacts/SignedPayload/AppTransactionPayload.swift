public import FoundationEssentials

/// A customer's download of an app, as StoreKit 2 hands it out (`AppTransaction`).
///
/// Everything but the date of signing may be absent. Dates are Apple's milliseconds.
public struct AppTransactionPayload: Hashable, Sendable {
    /// When this was signed; Apple's name is `receiptCreationDate`.
    public var signedDate: Date
    /// Where it comes from; Apple's name is `receiptType`.
    public var environment: AppleEnvironment?
    /// Apple's number of the app; absent for the 0 of the sandbox and Xcode.
    public var appAppleID: Int64?
    /// The app.
    public var bundleID: String?
    /// `CFBundleShortVersionString` (macOS) or `CFBundleVersion` (all others) of the app that asked.
    public var applicationVersion: String?
    /// The same of the app that was downloaded first; always `1.0` in the sandbox.
    public var originalApplicationVersion: String?
    /// Apple's number of the version.
    public var versionExternalID: Int64?
    /// When the customer got the app. Xcode writes the beginning of the calendar.
    public var originalPurchaseDate: Date?
    /// When he ordered it before it was there.
    public var preorderDate: Date?
    /// When the device asked for this.
    public var requestDate: Date?
    /// SHA-384 of the nonce and the device's identifier, in Base64.
    public var deviceVerification: String?
    /// A UUID.
    public var deviceVerificationNonce: String?
    /// This download; the transactions of the customer in this app name it.
    public var appTransactionID: String?
    /// `iOS`, `macOS`, `tvOS` or `visionOS`: where the customer got the app first.
    public var originalPlatform: String?

    /// The payload as it was signed, with fields that are not listed here; empty for one that was not.
    public internal(set) var signedJSON: [UInt8] = []

    /// A download that nobody has signed yet and of which nothing is known but when that will be.
    public init(signedDate: Date) {
        self.signedDate = signedDate
    }
}
