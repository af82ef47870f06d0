internal import Crypto
package import FoundationEssentials
package import Messages
package import StoreArtifacts

/// Tells whether something is signed for one app, under the roots that this app believes: Apple's, or its own test
/// roots and no others.
package struct AppVerifier: Sendable {
    /// The app; its test roots decide with the bytes alone.
    package let record: AppRecord
    private let verifiers: [TransactionVerifier]

    /// - Throws: `CryptoError` when a root is no certificate.
    package init(_ record: AppRecord) throws {
        self.record = record
        let bundleID = record.app.rawValue
        guard record.isTest else {
            verifiers = [TransactionVerifier(bundleID: bundleID, roots: try .apple())]
            return
        }
        // Never fewer roots than were set: without any, Xcode's rule would believe everybody.
        let roots = try record.testRoots.map { try Certificate(der: Base64.standard.decode($0.utf8) ?? []) }
        verifiers = [TrustRoots(roots, areTest: true), .storeKitTesting(roots)].map {
            TransactionVerifier(bundleID: bundleID, roots: $0)
        }
    }

    /// Judges a signed transaction.
    ///
    /// - Returns: the judgement, and a signer to remember once it is stored.
    /// - Throws: when the check could not be made; no text brings that about.
    package func judge(
        _ text: String, at now: Date, cache: ChainCache
    ) throws -> (judgement: Judgement, chain: VerifiedChain?) {
        let bytes = Array(text.utf8)
        var last: Verification<TransactionPayload>?
        for verifier in verifiers {
            let verification = try verifier.verify(bytes, at: now, cache: cache)
            // One certificate instead of three: signed by Xcode, which the next verifier knows.
            if case .refused(_, .chainLength, _) = verification.verdict, last == nil {
                last = verification
                continue
            }
            return (Judgement(verification.verdict), verification.chain)
        }
        return (last.map { Judgement($0.verdict) } ?? .tooEarly, nil)
    }
}
