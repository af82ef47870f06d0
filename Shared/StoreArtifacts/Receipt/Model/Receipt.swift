public import FoundationEssentials

/// What an App Store receipt says: which app, on which device, and what was bought in it.
///
/// Only what came out of a ``ReceiptVerifier`` is to be believed. Of auto-renewal, grace periods and billing retries a
/// receipt says nothing. The numbers are those of Apple's attributes.
public struct Receipt: Hashable, Sendable {
    /// 0, as it stands there; absent in receipts of some test tools.
    public var environmentText: String?
    /// 1: Apple's number of the app; 0 from testers.
    public var appStoreID: Int64?
    /// 2.
    public var bundleID: String
    /// 2 as it stands there, with tag and length: goes into the device hash.
    public var bundleIDBytes: [UInt8]
    /// 3: the build number on iOS, the version on macOS. That of the app that fetched the receipt, not of a later one.
    public var appVersion: String
    /// 4: goes into the device hash.
    public var opaqueValue: [UInt8]
    /// 5: SHA-1 of the device's identifier, the opaque value and the bundle id.
    public var deviceHash: [UInt8]
    /// 8.
    public var transactionDate: Date?
    /// 9.
    public var fulfillmentToolVersion: Int64?
    /// 10, such as `4+`.
    public var ageRating: String?
    /// 11.
    public var developerID: Int64?
    /// 12: when the receipt was signed.
    public var creationDate: Date
    /// 15: beyond 32 bits.
    public var downloadID: Int64?
    /// 16.
    public var installerVersionID: Int64?
    /// 18: when the app was first bought; a fixed day of 2013 for testers.
    public var originalPurchaseDate: Date?
    /// 19: the version that was bought; may be the empty text.
    public var originalAppVersion: String?
    /// 21: when the app may no longer be used; of volume purchases only.
    public var expirationDate: Date?
    /// 17: in no order.
    public var purchases: [InAppPurchase]

    /// Where it comes from: Apple's several words for real money and for the sandbox are each one here. `nil` if it does
    /// not tell; what is not known stays as it is.
    public var environment: AppleEnvironment? {
        switch environmentText {
        case nil: nil
        case "Production", "ProductionVPP": .production
        case "ProductionSandbox", "ProductionVPPSandbox", "Sandbox": .sandbox
        case let text?: AppleEnvironment(rawValue: text)
        }
    }
}
