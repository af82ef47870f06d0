internal import Crypto
public import FoundationEssentials
internal import JSON

/// Verifies transactions.
public typealias TransactionVerifier = SignedPayloadVerifier<TransactionPayload>
/// Verifies renewal information.
public typealias RenewalVerifier = SignedPayloadVerifier<RenewalPayload>

/// Tells whether a text is something that Apple signed for one app.
///
/// A value without state and without a clock: the same text at the same time under the same roots has the same verdict,
/// with a cache or without. Safe to use from many tasks at once.
public struct SignedPayloadVerifier<Payload: SignedPayload>: Sendable {
    /// How far the clocks of the store and ours may differ.
    public static var clockTolerance: TimeInterval { 60 }

    private let bundleID: String
    private let environments: Set<AppleEnvironment>?
    private let roots: TrustRoots
    private let limit: Int

    /// - Parameters:
    ///   - bundleID: The app, compared exactly.
    ///   - environments: What is accepted; a payload that does not tell its environment is then refused. `nil` accepts
    ///     any and leaves it to the caller to look.
    ///   - roots: Who may have signed.
    ///   - limit: The longest text that is looked at, in bytes.
    public init(
        bundleID: String, environments: Set<AppleEnvironment>? = nil, roots: TrustRoots, limit: Int = 64 * 1024
    ) {
        self.bundleID = bundleID
        self.environments = environments
        self.roots = roots
        self.limit = limit
    }

    /// Verifies a compact JWS.
    ///
    /// - Parameters:
    ///   - text: As received, without white space around it.
    ///   - now: Against which a date of signing is in the future. Nothing else depends on it.
    ///   - cache: Is read, never written, see ``Verification/chain``.
    /// - Throws: `CryptoError` when the check could not be made. No text brings that about.
    public func verify(_ text: [UInt8], at now: Date, cache: ChainCache? = nil) throws -> Verification<Payload> {
        do {
            return try verification(of: try CompactJWS(text, limit: limit), at: now, cache: cache)
        } catch let shortfall as Shortfall {
            return Verification(refusedFor: shortfall)
        }
    }

    private func verification(of jws: CompactJWS, at now: Date, cache: ChainCache?) throws -> Verification<Payload> {
        let known = cache?.chain(forHeader: jws.encodedHeader, under: roots)
        let header: SigningHeader? = known == nil ? try SigningHeader(jws.headerObject(), rule: roots.rule) : nil
        let payload = try payload(of: jws)
        let signature = try jws.signatureBytes()

        let found = try header.map { header in
            try VerifiedChain(header, encodedHeader: jws.encodedHeader, roots: roots, at: payload.signedDate)
        }
        guard let chain = known ?? found else { throw Shortfall.malformed("no header") }
        guard chain.validity.contains(payload.signedDate) else {
            throw Shortfall(.chain, .certificateExpired, "a certificate was not valid when this was signed")
        }
        guard try chain.publicKey.isValid(rawSignature: signature, over: jws.signingInput) else {
            throw Shortfall(.signature, .badSignature, "the signature is not the signer's")
        }
        // From here on the header is known to be the signer's own, so that nobody else can fill a cache.
        return Verification(verdict: verdict(on: payload, at: now), chain: found)
    }

    private func payload(of jws: CompactJWS) throws -> Payload {
        let object = try jws.payloadObject()
        do {
            return try Payload(object)
        } catch {
            throw Shortfall.malformed("payload: \(error)")
        }
    }

    private func verdict(on payload: Payload, at now: Date) -> Verdict<Payload> {
        guard payload.isFor(bundleID: bundleID) else {
            return .refused(step: .metadata, reason: .wrongApp, message: "not for the app \(bundleID)")
        }
        guard isAccepted(payload.environment) else {
            return .refused(
                step: .metadata, reason: .wrongEnvironment,
                message: "from the environment \(payload.environment?.rawValue.prefix(40) ?? "unknown")")
        }
        guard payload.signedDate <= now + Self.clockTolerance else { return .retryable(.signedInFuture) }
        return .verified(payload)
    }

    private func isAccepted(_ environment: AppleEnvironment?) -> Bool {
        // Whoever has Xcode can write any environment into a payload, so only Xcode's own are believed.
        if roots.rule == .selfSigned, environment != .xcode, environment != .localTesting { return false }
        guard let environments else { return true }
        return environment.map(environments.contains) ?? false
    }
}

/// A verdict, and what was found on the way to it.
public struct Verification<Value: Sendable>: Sendable {
    /// The answer.
    public let verdict: Verdict<Value>
    /// A signer who was not in the cache and has signed this: to be given to ``ChainCache/remember(_:at:)`` once the
    /// verdict is stored.
    public let chain: VerifiedChain?

    init(verdict: Verdict<Value>, chain: VerifiedChain?) {
        self.verdict = verdict
        self.chain = chain
    }

    init(refusedFor shortfall: Shortfall) {
        self.init(
            verdict: .refused(step: shortfall.step, reason: shortfall.reason, message: shortfall.message), chain: nil)
    }
}
