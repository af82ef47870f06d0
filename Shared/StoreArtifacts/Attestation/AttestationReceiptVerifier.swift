internal import Crypto
public import FoundationEssentials

/// Tells whether an App Attest receipt is Apple's, for this app and this key, and recent enough.
///
/// The steps, in this order: `structure`, `chain`, `signature`, `app_id`, `public_key`, `age`. A value without state
/// and without a clock.
public struct AttestationReceiptVerifier: Sendable {
    /// Genuine ones have about 4 KB.
    static let limit = 64 * 1024
    /// How far the clocks of Apple and ours may differ.
    private static let clockTolerance: TimeInterval = 60

    private let appID: String?
    private let roots: TrustRoots

    /// - Parameters:
    ///   - appID: `TEAM.BUNDLE`, compared exactly; `nil` does not compare.
    ///   - roots: Who may have signed.
    public init(appID: String?, roots: TrustRoots) {
        self.appID = appID
        self.roots = roots
    }

    /// Verifies a receipt.
    ///
    /// - Parameters:
    ///   - bytes: PKCS #7 in BER, as it came from a device or from Apple.
    ///   - publicKey: The attested key that it has to be of, as a point (X9.63) or as SubjectPublicKeyInfo in DER; `nil`
    ///     does not compare.
    ///   - maximumAge: How old it may be, in seconds: Apple advises five minutes for one that has just been asked for.
    ///     `nil` does not look. What Apple says to have run out is refused in any case.
    ///   - date: At which the certificates have to be valid and its age is taken: now.
    ///   - cache: Is read, never written, see ``Verification/chains``.
    /// - Throws: `CryptoError` when a check could not be made. No bytes bring that about.
    public func verify(
        _ bytes: [UInt8], publicKey: [UInt8]?, maximumAge: TimeInterval? = nil, at date: Date, cache: ChainCache? = nil
    ) throws -> Verification<AttestationReceipt> {
        do {
            let container = try SignedContainer(bytes, limit: Self.limit)
            let (chain, isKnown) = try container.chain(
                under: roots, policy: .attestationReceipt, at: date, cache: cache)
            guard try container.isSigned(by: chain.publicKey) else {
                throw Shortfall(.signature, .badSignature, "the signature is not the signer's")
            }
            return Verification(
                verdict: try verdict(
                    on: AttestationReceipt(content: container.content), publicKey: publicKey, maximumAge: maximumAge,
                    at: date),
                chains: isKnown ? [] : [chain])
        } catch let shortfall as Shortfall {
            return Verification(refusedFor: shortfall)
        }
    }

    private func verdict(
        on receipt: AttestationReceipt, publicKey: [UInt8]?, maximumAge: TimeInterval?, at date: Date
    ) throws(Shortfall) -> Verdict<AttestationReceipt> {
        guard appID == nil || appID == receipt.appID else {
            throw Shortfall(.appID, .wrongApp, "of another app")
        }
        // Reading a key takes longer than all the rest; that of the right device need not be read.
        if let publicKey, publicKey != receipt.publicKey {
            guard let expected = try? PublicKey(attested: publicKey).x963 else {
                throw Shortfall(.publicKey, .badKey, "the key that it should be of is none")
            }
            guard receipt.publicKey == expected else {
                throw Shortfall(.publicKey, .keyIDMismatch, "of another key")
            }
        }
        let age = date.timeIntervalSince(receipt.creationDate)
        guard maximumAge.map({ age <= $0 }) ?? true else {
            throw Shortfall(.age, .stale, "older than is accepted")
        }
        guard receipt.expirationDate.map({ date <= $0 }) ?? true else {
            throw Shortfall(.age, .stale, "it has run out")
        }
        guard age >= -Self.clockTolerance else { return .retryable(.signedInFuture) }
        return .verified(receipt)
    }
}

extension ChainPolicy {
    /// App Attest receipts. Apple has marked the signer's certificate only.
    fileprivate static let attestationReceipt = ChainPolicy(
        leafMarker: AppleMarker.attestationReceiptSigning, intermediateMarker: nil, keys: [.p256, .p384],
        securityLevel: 2)
}
