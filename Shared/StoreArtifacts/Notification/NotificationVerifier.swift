public import FoundationEssentials

/// Tells whether something is a notification that Apple signed for one app (App Store Server Notifications V2).
///
/// The notification and each signed text in it are verified by themselves, under the same roots, each at its own date.
/// A value without state and without a clock, as ``SignedPayloadVerifier`` is.
public struct NotificationVerifier: Sendable {
    /// The longest body that is looked at, in bytes. Genuine ones have 20 kB.
    public static let limit = 1 << 20

    private let bundleID: String?
    private let appAppleID: Int64?
    private let roots: TrustRoots
    private let outer: SignedPayloadVerifier<NotificationPayload>

    /// - Parameters:
    ///   - bundleID: The app, compared exactly; `nil` accepts any and leaves it to the caller to look.
    ///   - environments: What is accepted; `nil` accepts any and leaves it to the caller to look.
    ///   - appAppleID: Apple's number of the app, as for ``SignedPayloadVerifier``.
    ///   - roots: Who may have signed.
    public init(
        bundleID: String? = nil, environments: Set<AppleEnvironment>? = nil, appAppleID: Int64? = nil, roots: TrustRoots
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.roots = roots
        self.outer = SignedPayloadVerifier(
            bundleID: bundleID, environments: environments, appAppleID: appAppleID, roots: roots, limit: Self.limit)
    }

    /// What is looked at, in this order: the notification itself, then what it carries, in steps such as
    /// `transaction.signature`.
    ///
    /// - Parameter payload: The notification, `nil` if it could not be read.
    public static func steps(of payload: NotificationPayload?) -> [VerificationStep] {
        let own = SignedPayloadVerifier<NotificationPayload>.steps
        let subject = payload?.subject
        let carried: [(name: String, text: String?)] = [
            ("transaction", subject?.signedTransactionInfo), ("renewal", subject?.signedRenewalInfo),
            ("app_transaction", subject?.signedAppTransactionInfo),
        ]
        return own + carried.filter { $0.text != nil }.flatMap { part in own.map { $0.inside(part.name) } }
    }

    /// Verifies what Apple's server posts: `{"signedPayload": "…"}`, or the signed text alone.
    ///
    /// In what it carries, an app or an environment that is not the notification's own is refused; an environment that
    /// is not told is not, as in 2021.
    ///
    /// - Parameters:
    ///   - body: As received. A notification of version 1 is refused in the step ``VerificationStep/kind``.
    ///   - now: Against which a date of signing is in the future. Nothing else depends on it.
    ///   - certificateDate: When the certificates have to be valid, unless that is the date of signing.
    ///   - cache: Is read, never written, see ``Verification/chains``.
    /// - Throws: `CryptoError` when the check could not be made. No text brings that about.
    public func verify(
        _ body: [UInt8], at now: Date, certificateDate: Date? = nil, cache: ChainCache? = nil
    ) throws -> Verification<SignedNotification> {
        switch NotificationBody(body) {
        case .signed(let text):
            return try verification(of: text, Conditions(now: now, certificateDate: certificateDate, cache: cache))
        case .version1:
            let message = "a notification of version 1, which nobody has signed: set version 2 in App Store Connect"
            return Verification(refusedFor: Shortfall(.kind, .malformed, message))
        case .other:
            return Verification(refusedFor: .malformed("JSON without a signedPayload"))
        }
    }

    private struct Conditions {
        let now: Date
        let certificateDate: Date?
        let cache: ChainCache?
    }

    private func verification(of text: [UInt8], _ conditions: Conditions) throws -> Verification<SignedNotification> {
        let verification = try outer.verify(
            text, at: conditions.now, certificateDate: conditions.certificateDate, cache: conditions.cache)
        var chains = verification.chains
        do {
            let payload = try verification.verdict.value()
            let subject = payload.subject
            var notification = SignedNotification(payload: payload)
            notification.transaction = try carried(
                subject?.signedTransactionInfo, "transaction", by: payload, conditions, &chains)
            notification.renewal = try carried(subject?.signedRenewalInfo, "renewal", by: payload, conditions, &chains)
            notification.appTransaction = try carried(
                subject?.signedAppTransactionInfo, "app_transaction", by: payload, conditions, &chains)
            return Verification(verdict: .verified(notification), chains: chains)
        } catch let shortfall as Shortfall {
            return Verification(verdict: Verdict(refusedFor: shortfall), chains: chains)
        } catch let delay as Delay {
            return Verification(verdict: .retryable(delay.reason), chains: chains)
        }
    }

    /// Verifies one of the texts that a notification carries.
    private func carried<Payload: SignedPayload>(
        _ text: String?, _ name: String, by notification: NotificationPayload, _ conditions: Conditions,
        _ chains: inout [VerifiedChain]
    ) throws -> Payload? {
        guard let text else { return nil }
        let verifier = SignedPayloadVerifier<Payload>(
            bundleID: bundleID ?? notification.subject?.bundleID, appAppleID: appAppleID, roots: roots,
            limit: Self.limit)
        let verification = try verifier.verify(
            Array(text.utf8), at: conditions.now, certificateDate: conditions.certificateDate, cache: conditions.cache,
            found: chains)
        chains += verification.chains
        do {
            let payload = try verification.verdict.value()
            if let environment = payload.environment, environment != notification.environment {
                throw Shortfall(.metadata, .wrongEnvironment, "not from the environment of the notification")
            }
            return payload
        } catch let shortfall as Shortfall {
            throw Shortfall(
                shortfall.step.inside(name), shortfall.reason, "the \(name) in the notification: \(shortfall.message)")
        }
    }
}

/// Genuine, but not to be used yet.
private struct Delay: Error {
    let reason: RefusalReason
}

extension Verdict {
    fileprivate func value() throws -> Value {
        switch self {
        case .verified(let value): return value
        case .refused(let step, let reason, let message): throw Shortfall(step, reason, message)
        case .retryable(let reason): throw Delay(reason: reason)
        }
    }
}

extension VerificationStep {
    /// The same step in the part of this name.
    fileprivate func inside(_ part: String) -> VerificationStep { VerificationStep(rawValue: "\(part).\(rawValue)") }
}
