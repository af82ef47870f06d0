public import FoundationEssentials

/// One thing to look at in a receipt. Each can be used alone; a ``ReceiptVerifier`` is a list of them.
///
/// None depends on another having passed, so that they can run side by side.
public protocol ReceiptCheck: Sendable {
    /// What its refusals are named by.
    var step: VerificationStep { get }

    /// Looks at the receipt.
    ///
    /// - Throws: `CryptoError` when the check could not be made. No receipt brings that about.
    func verify(_ receipt: SignedReceipt, under circumstances: ReceiptCircumstances) throws -> Verification<Void>
}

/// What a check may have to know beside the receipt.
public struct ReceiptCircumstances: Sendable {
    /// Against which a creation date is in the future.
    public var now: Date
    /// When the certificates have to be valid, unless that is the creation date.
    public var certificateDate: Date?
    /// Is read, never written, see ``Verification/chains``.
    public var cache: ChainCache?
    /// Signers that checks before this one have found: spares reading their certificates again.
    var found: [VerifiedChain] = []

    /// The creation date counts unless another is given.
    public init(now: Date, certificateDate: Date? = nil, cache: ChainCache? = nil) {
        self.now = now
        self.certificateDate = certificateDate
        self.cache = cache
    }
}

extension VerificationStep {
    /// Whether it is for this app.
    public static let bundleID = VerificationStep(rawValue: "bundle_id")
    /// Whether it is for this version of the app.
    public static let version = VerificationStep(rawValue: "version")
    /// Whether it was made on this device.
    public static let deviceHash = VerificationStep(rawValue: "device_hash")
    /// Whether it was made before now.
    public static let creationDate = VerificationStep(rawValue: "creation_date")
}
