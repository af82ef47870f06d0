internal import Crypto
internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

/// Judges attestations for one app, under the roots that this app believes: Apple's, or its own and no
/// others.
struct AppAttest: Sendable {
    /// The record that it judges by.
    let version: Int
    private let isTest: Bool
    private let verifier: AttestationVerifier

    /// - Throws: `CryptoError` when a root cannot be read.
    init(_ app: AppRecord, team: TeamID) throws {
        version = app.version
        isTest = app.isTest
        let environments = Set(app.acceptedEnvironments.compactMap { AttestedEnvironment(rawValue: $0.rawValue) })
        var roots = try TrustRoots.appleAppAttestation()
        var receiptRoots = try TrustRoots.apple()
        if app.isTest {
            let own = try app.testRoots.map { try Certificate(der: Base64.standard.decode($0.utf8) ?? []) }
            roots = TrustRoots(own, areTest: true)
            receiptRoots = roots
        }
        verifier = AttestationVerifier(
            appID: app.attestID(team), environments: environments, roots: roots, receiptRoots: receiptRoots)
    }

    /// What came of looking at an attestation.
    struct Judged: Sendable {
        /// A key of a genuine device, or why not.
        let finding: Result<AttestedKey, Refusal>
        /// By which record of the app.
        let version: Int
        fileprivate let chains: [VerifiedChain]
        fileprivate let date: Date

        /// Keeps who has signed, for the next ones; to be called when the verdict is stored.
        func remember(in cache: ChainCache) {
            for chain in chains { cache.remember(chain, at: date) }
        }
    }

    /// - Parameters:
    ///   - time: when it was taken: the certificates live for days.
    ///   - cache: is read, not written.
    /// - Throws: when the check could not be made; no bytes bring that about.
    func judge(_ message: AttestationSubmit, at time: Timestamp, cache: ChainCache) throws -> Judged {
        let date = time.date
        func judged(_ finding: Result<AttestedKey, Refusal>, _ chains: [VerifiedChain] = []) -> Judged {
            Judged(finding: finding, version: version, chains: chains, date: date)
        }
        let limit = AttestationSubmit.longestAttestation
        guard let bytes = SentBase64.decode(message.attestation, limit: limit) else {
            return judged(.failure(.cborMalformed))
        }
        // What can be no key's name is compared as well, in its turn: it is nobody's.
        let verification = try verifier.verify(
            bytes, keyID: message.keyID.digest ?? [], clientData: .challenge(message.challenge), at: date,
            cache: cache)
        switch verification.verdict {
        case .verified(let verified):
            return judged(.success(AttestedKey(verified, isTest: isTest)), verification.chains)
        case .refused(let step, _, let detail): return judged(.failure(.attestation(step, detail)))
        case .retryable(let reason): return judged(.failure(.attestation(.chain, reason.rawValue)))
        }
    }
}

extension AppRecord {
    /// What App Attest calls the app.
    func attestID(_ team: TeamID) -> String { "\(team).\(app)" }
}

extension Refusal {
    /// An attestation fails at this step.
    static func attestation(_ step: VerificationStep, _ detail: String) -> Refusal {
        let refusal: Refusal =
            switch step {
            case .format: .formatUnsupported
            case .chain: .chainInvalid
            case .nonce: .nonceMismatch
            case .keyID: .keyIDMismatch
            case .appID: .appIDMismatch
            case .counter: .counterNotZero
            case .environment: .environmentMismatch
            case .credentialID: .credentialIDMismatch
            case .publicKey: .publicKeyMalformed
            default: .cborMalformed
            }
        return refusal.because(detail)
    }

    /// With what the verifier has found; it quotes nothing secret.
    func because(_ detail: String) -> Refusal { Refusal(reason, "\(message): \(detail)") }
}
