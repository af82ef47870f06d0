/// What came of verifying something that a store is said to have signed.
public enum Verdict<Value: Sendable>: Sendable {
    /// Every step was passed.
    case verified(Value)
    /// The answer is no, now and whenever the same bytes are asked about again under the same roots. The steps have a
    /// fixed order, and the first that failed is named. The message is for people and quotes nothing secret.
    case refused(step: VerificationStep, reason: RefusalReason, message: String)
    /// Genuine, but not to be used yet; worth another try later.
    case retryable(RefusalReason)
}

extension Verdict {
    /// The first step that failed.
    init(refusedFor shortfall: Shortfall) {
        self = .refused(step: shortfall.step, reason: shortfall.reason, message: shortfall.message)
    }
}

/// What is looked at. Each kind of artifact has its steps in a fixed order.
public struct VerificationStep: RawRepresentable, Hashable, Sendable, Codable {
    /// The name.
    public let rawValue: String

    /// Any name, known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether it is of the kind that is asked for.
    public static let kind = VerificationStep(rawValue: "kind")
    /// Size, encoding, the fields that have to be there, and the certificates as such.
    public static let structure = VerificationStep(rawValue: "structure")
    /// The way from the signer's certificate to a trusted root, at the date of signing.
    public static let chain = VerificationStep(rawValue: "chain")
    /// The signature by the signer's key.
    public static let signature = VerificationStep(rawValue: "signature")
    /// Whether it is for this app, this environment and this time.
    public static let metadata = VerificationStep(rawValue: "metadata")
    /// Whether it is from an environment that is accepted.
    public static let environment = VerificationStep(rawValue: "environment")
}

/// Why the answer is no: a stable code, kept and published with the verdict.
public struct RefusalReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The code.
    public let rawValue: String

    /// Any code, known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not what it should be: cut, too long, no JSON, a field missing or of another type.
    public static let malformed = RefusalReason(rawValue: "malformed")
    /// Signed in a way that is not accepted.
    public static let unsupportedAlgorithm = RefusalReason(rawValue: "unsupported_alg")
    /// No certificates with it.
    public static let missingCertificates = RefusalReason(rawValue: "missing_x5c")
    /// Not as many certificates as there have to be.
    public static let chainLength = RefusalReason(rawValue: "chain_length")
    /// One of them is none, or has a key of another kind.
    public static let badCertificate = RefusalReason(rawValue: "bad_certificate")
    /// They do not lead to a trusted root.
    public static let untrustedChain = RefusalReason(rawValue: "untrusted_chain")
    /// They do, but were not valid when it was signed.
    public static let certificateExpired = RefusalReason(rawValue: "cert_expired")
    /// They do, but are for something else.
    public static let wrongPurpose = RefusalReason(rawValue: "wrong_purpose")
    /// The signature is not the signer's, or is none.
    public static let badSignature = RefusalReason(rawValue: "bad_signature")
    /// For another app.
    public static let wrongApp = RefusalReason(rawValue: "wrong_app")
    /// From an environment that is not accepted, or that is not told.
    public static let wrongEnvironment = RefusalReason(rawValue: "wrong_environment")
    /// Signed later than now, by more than clocks differ.
    public static let signedInFuture = RefusalReason(rawValue: "signed_in_future")
    /// Made for another challenge or request.
    public static let nonceMismatch = RefusalReason(rawValue: "nonce_mismatch")
    /// By another key than the one that is named.
    public static let keyIDMismatch = RefusalReason(rawValue: "key_id_mismatch")
    /// The key's counter does not say what it has to.
    public static let counter = RefusalReason(rawValue: "counter")
    /// Older than is accepted.
    public static let stale = RefusalReason(rawValue: "stale")
    /// Made on another device.
    public static let deviceHashMismatch = RefusalReason(rawValue: "device_hash_mismatch")
    /// The key to verify it with is none.
    public static let badKey = RefusalReason(rawValue: "bad_key")
}

/// The first step that failed, on its way out of a verifier.
struct Shortfall: Error {
    let step: VerificationStep
    let reason: RefusalReason
    let message: String

    init(_ step: VerificationStep, _ reason: RefusalReason, _ message: String) {
        self.step = step
        self.reason = reason
        self.message = message
    }
}
