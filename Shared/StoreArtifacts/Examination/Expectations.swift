public import FoundationEssentials

/// What an artifact is compared with. What is absent is not compared, and the report says so.
///
/// What does not fit a kind is not looked at: a bundle id says nothing about an assertion, which names a whole app id.
public struct Expectations: Sendable, Hashable {
    /// The app's bundle id, of receipts and signed texts; the package name of purchases. Compared exactly.
    public var bundleID: String?
    /// The app's number at Apple, of notifications and app transactions that tell it.
    public var appAppleID: Int64?
    /// `TEAM.BUNDLE`, of App Attest.
    public var appID: String?
    /// Where it may come from.
    public var environments: Set<ArtifactEnvironment>?
    /// The date at which certificates have to be valid, instead of the one that the artifact says it was signed at.
    public var certificateDate: Date?
    /// What an attestation or assertion was made for.
    public var clientData: ClientData?
    /// The key that an attestation is said to be of: SHA-256 of its public point.
    public var keyID: [UInt8]?
    /// The key that an assertion or an App Attest receipt has to be of: a point (X9.63) or SubjectPublicKeyInfo in DER.
    public var attestedKey: [UInt8]?
    /// Keys that may have signed a purchase: SubjectPublicKeyInfo in DER.
    public var publicKeys: [[UInt8]] = []
    /// Whether a key that comes with a purchase is believed if ``publicKeys`` is empty.
    public var believesOwnKey = false
    /// The counter of the assertion before.
    public var lastCounter: UInt32?
    /// How old an App Attest receipt may be.
    public var maximumAge: TimeInterval?
    /// The device of a receipt: the 16 bytes of the vendor's identifier, or the 6 of a Mac's address.
    public var device: DeviceIdentifier?
    /// The app's version, of receipts.
    public var version: String?
    /// The product of a purchase.
    public var product: String?
    /// The token of a purchase.
    public var token: String?

    /// Nothing is expected.
    public init() {}

    /// These, and where they are silent what came with the artifact.
    func completed(by supplied: Expectations) -> Expectations {
        var all = self
        all.clientData = clientData ?? supplied.clientData
        all.keyID = keyID ?? supplied.keyID
        all.lastCounter = lastCounter ?? supplied.lastCounter
        all.maximumAge = maximumAge ?? supplied.maximumAge
        return all
    }
}
