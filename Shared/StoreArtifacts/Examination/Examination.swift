public import Crypto
public import FoundationEssentials
internal import JSON

/// What came of examining an artifact: the verdict with the typed value for programs, and the report for everybody.
public struct Examination: Sendable {
    /// What was examined.
    public let artifact: RecognisedArtifact
    /// As which kind it was verified; what it was recognised as if that is another one than was asked for.
    public let kind: ArtifactKind
    /// The answer.
    public let verdict: Verdict<VerifiedArtifact>
    /// Whose word it is; `nil` unless verified.
    public let trust: ArtifactReport.Trust?
    /// Where it says that it comes from; `nil` where that could not be read.
    public let environment: ArtifactEnvironment?
    /// What was looked at, in the order in which it was.
    public let checks: [ArtifactReport.Check]
    let chains: [VerifiedChain]
    let findSigner: @Sendable () -> Certificate?
    let decode: @Sendable () -> [String: JSONValue]

    /// The certificate of whoever signed it, or is said to have; `nil` where a bare key did, and where there is none.
    /// For people: unless the artifact is verified, anybody can have put it there.
    public var signer: Certificate? { findSigner() }

    /// Keeps the signers that were found on the way. To be called once the verdict is stored, so that work that was
    /// rolled back leaves nothing behind.
    public func remember(in cache: ChainCache, at now: Date) {
        for chain in chains { cache.remember(chain, at: now) }
    }

    /// The report: built anew each time, at the cost of writing out all that the artifact says.
    public var report: ArtifactReport {
        var report = ArtifactReport(
            kind: kind, verdict: .verified, environment: environment?.rawValue, trust: trust, checks: checks,
            fields: decode())
        switch verdict {
        case .verified: break
        case .refused(let step, let reason, let message):
            report.verdict = .refused
            report.step = step
            report.reason = reason
            report.message = message
        case .retryable(let reason):
            report.verdict = .retryable
            report.reason = reason
            report.message =
                reason == .signedInFuture ? "signed later than now: the signer's clock or ours is wrong" : nil
        }
        return report
    }
}

/// What was verified, as a value of its kind.
public enum VerifiedArtifact: Sendable {
    /// What Apple says of one transaction.
    case transaction(TransactionPayload)
    /// What Apple says of a subscription's future.
    case renewal(RenewalPayload)
    /// What Apple says of a customer's download of the app.
    case appTransaction(AppTransactionPayload)
    /// What Apple's server tells, with what it carries.
    case notification(SignedNotification)
    /// What Apple says of an app on a device and of all that was bought in it.
    case receipt(SignedReceipt)
    /// Apple's word that a key lives in a genuine device, and what to think of the receipt in it.
    case attestation(VerifiedAttestation)
    /// That an attested key has signed a request.
    case assertion(Assertion)
    /// Apple's word on an attested key, to be handed in for a fraud assessment.
    case attestationReceipt(AttestationReceipt)
    /// What Google Play or AppCoins says of a purchase, in whatever state it is.
    case purchase(SignedPurchase)
}
