internal import Crypto
package import Messages
internal import ServiceKit
internal import StoreArtifacts

/// Tells who has signed a notification before it is taken. On a thread of its own: that takes up to two milliseconds of
/// computing for each one whose signer is new, and whoever floods an app's path must not slow down everybody else.
package actor NotificationSignatures {
    /// Why a notification is none of the app's.
    package struct Fault: Sendable, Equatable {
        /// Which step failed first.
        package let step: String
        /// Why, as a stable code.
        package let reason: String
    }

    private let chains = ChainCache()
    private let executor = BlockingExecutor(label: "notifications")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init() {}

    /// Why `signedPayload` is not the app's; nil for what is, and for what may only be used later: that is for the
    /// validator to tell. What the notification carries is not looked at: only whoever signs can have put it there.
    ///
    /// - Throws: `CryptoError` when the check could not be made; `CancellationError` when nobody waits for it any more.
    package func fault(in signedPayload: String, for app: AppRecord, at now: Timestamp) throws -> Fault? {
        try Task.checkCancellation()
        let verifier = SignedPayloadVerifier<NotificationPayload>(
            bundleID: app.app.rawValue, appAppleID: app.appleID, roots: try TrustRoots(of: app),
            limit: AppleNotification.bytes)
        let verification = try verifier.verify(Array(signedPayload.utf8), at: now.date, cache: chains)
        for chain in verification.chains { chains.remember(chain, at: now.date) }
        guard case .refused(let step, let reason, _) = verification.verdict else { return nil }
        return Fault(step: step.rawValue, reason: reason.rawValue)
    }
}

extension TrustRoots {
    /// Apple's, or the app's own and no others.
    fileprivate init(of app: AppRecord) throws {
        guard app.isTest else {
            self = try .apple()
            return
        }
        self.init(
            try app.testRoots.map { try Certificate(der: Base64.standard.decode($0.utf8) ?? []) }, areTest: true)
    }
}
