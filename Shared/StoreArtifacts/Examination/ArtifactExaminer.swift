public import FoundationEssentials
internal import JSON

/// Examines whatever is handed in: recognises it, verifies it as what it is, reports in one shape.
///
/// A value without state and without a clock. Linear in the input, and no input makes it fail.
public struct ArtifactExaminer: Sendable {
    /// Longer input is refused unread. The largest genuine artifacts are receipts of some hundred kilobytes.
    public static let limit = 4 << 20

    let trust: ArtifactTrust

    /// - Parameter trust: Whose signatures count.
    public init(trust: ArtifactTrust) { self.trust = trust }

    /// Examines an artifact in any of its usual dresses.
    ///
    /// - Parameters:
    ///   - input: As received: raw, as text in Base64, or in a member of a JSON object.
    ///   - kind: What it has to be; `nil` for whatever it is.
    ///   - expectations: What it is compared with.
    ///   - now: Against which a date of signing is in the future.
    ///   - cache: Is read, never written, see ``Examination/remember(in:at:)``.
    /// - Throws: `CryptoError` when a check could not be made. No input brings that about.
    public func examine(
        _ input: [UInt8], as kind: ArtifactKind? = nil, expecting expectations: Expectations = Expectations(),
        at now: Date, cache: ChainCache? = nil
    ) throws -> Examination {
        if let bare = Recognition.bareText(input, of: kind) {
            let examination = try examine(
                Question(artifact: bare, expectations: expectations, now: now, cache: cache), as: bare.kind)
            if case .refused(.kind, _, _) = examination.verdict {} else { return examination }
        }
        let artifact = Recognition.recognise(input, preferring: kind)
        let question = Question(
            artifact: artifact, expectations: expectations.completed(by: artifact.supplied), now: now, cache: cache)
        let asked = kind ?? artifact.kind
        guard artifact.candidates.contains(asked) else { return Self.wrongKind(question, insteadOf: kind) }
        return try examine(question, as: asked)
    }

    private func examine(_ question: Question, as kind: ArtifactKind) throws -> Examination {
        switch kind {
        case .transaction: return try examineText(question, kind, VerifiedArtifact.transaction)
        case .renewal: return try examineText(question, kind, VerifiedArtifact.renewal)
        case .appTransaction: return try examineText(question, kind, VerifiedArtifact.appTransaction)
        case .notification: return try examineNotification(question)
        case .receipt: return try examineReceipt(question)
        case .attestation: return try examineAttestation(question)
        case .assertion: return try examineAssertion(question)
        case .attestationReceipt: return try examineAttestationReceipt(question)
        case .purchase: return try examinePurchase(question)
        default: return Self.wrongKind(question, insteadOf: nil)
        }
    }

    private static func wrongKind(_ question: Question, insteadOf wanted: ArtifactKind?) -> Examination {
        let artifact = question.artifact
        let message =
            if let wanted { "\(artifact.description) where \(wanted.phrase) is expected" } else {
                "this is \(artifact.description)\(artifact.kind == .unknown ? "" : ", which cannot be verified")"
            }
        return Examination(
            artifact: artifact, kind: artifact.kind,
            verdict: .refused(step: .kind, reason: .malformed, message: message), trust: nil, environment: nil,
            checks: [ArtifactReport.Check(VerificationStep.kind.rawValue, .failed)], chains: [],
            findSigner: { nil }, decode: { artifact.fields })
    }
}

/// What is asked about one artifact.
struct Question: Sendable {
    let artifact: RecognisedArtifact
    let expectations: Expectations
    let now: Date
    let cache: ChainCache?

    /// The date for what has to be valid when it is looked at: App Attest.
    var date: Date { expectations.certificateDate ?? now }
}
