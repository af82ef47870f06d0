internal import Crypto
public import FoundationEssentials
internal import JSON

/// Verifies transactions.
public typealias TransactionVerifier = SignedPayloadVerifier<TransactionPayload>
/// Verifies renewal information.
public typealias RenewalVerifier = SignedPayloadVerifier<RenewalPayload>
/// Verifies downloads of an app.
public typealias AppTransactionVerifier = SignedPayloadVerifier<AppTransactionPayload>

/// Tells whether a text is something that Apple signed for one app.
///
/// A value without state and without a clock: the same text at the same time under the same roots has the same verdict,
/// with a cache or without. Safe to use from many tasks at once.
public struct SignedPayloadVerifier<Payload: SignedPayload>: Sendable {
    /// How far the clocks of the store and ours may differ.
    public static var clockTolerance: TimeInterval { 60 }

    /// What is looked at, in this order. Before all, what is recognisably of another kind is refused in the step
    /// ``VerificationStep/kind``.
    public static var steps: [VerificationStep] { [.structure, .chain, .signature, .metadata] }

    private let bundleID: String?
    private let environments: Set<AppleEnvironment>?
    private let appAppleID: Int64?
    private let roots: TrustRoots
    private let limit: Int

    /// - Parameters:
    ///   - bundleID: The app, compared exactly; `nil` accepts any and leaves it to the caller to look.
    ///   - environments: What is accepted; a payload that does not tell its environment is then refused. `nil` accepts
    ///     any and leaves it to the caller to look.
    ///   - appAppleID: Apple's number of the app. Compared where a payload tells it; that one does not tell is accepted
    ///     of transactions and renewal information, which never do, and of the sandbox and Xcode, which often do not.
    ///   - roots: Who may have signed.
    ///   - limit: The longest text that is looked at, in bytes.
    public init(
        bundleID: String? = nil, environments: Set<AppleEnvironment>? = nil, appAppleID: Int64? = nil,
        roots: TrustRoots,
        limit: Int = 64 * 1024
    ) {
        self.bundleID = bundleID
        self.environments = environments
        self.appAppleID = appAppleID
        self.roots = roots
        self.limit = limit
    }

    /// Verifies a compact JWS.
    ///
    /// - Parameters:
    ///   - text: As received, without white space around it.
    ///   - now: Against which a date of signing is in the future. Nothing else depends on it.
    ///   - certificateDate: When the certificates have to be valid, unless that is the date of signing.
    ///   - cache: Is read, never written, see ``Verification/chains``.
    /// - Throws: `CryptoError` when the check could not be made. No text brings that about.
    public func verify(
        _ text: [UInt8], at now: Date, certificateDate: Date? = nil, cache: ChainCache? = nil
    ) throws -> Verification<Payload> {
        try verify(text, at: now, certificateDate: certificateDate, cache: cache, found: [])
    }

    /// - Parameter found: Signers who were found a moment ago, and cannot be in the cache yet.
    func verify(
        _ text: [UInt8], at now: Date, certificateDate: Date?, cache: ChainCache?, found: [VerifiedChain]
    ) throws -> Verification<Payload> {
        do {
            let jws = try CompactJWS(text, limit: limit)
            let known =
                cache?.chain(for: jws.encodedHeader, under: roots, policy: .signedPayload)
                ?? found.first { $0.isOf(jws.encodedHeader, under: roots, policy: .signedPayload) }
            return try verification(of: jws, at: now, certificateDate: certificateDate, known: known)
        } catch let shortfall as Shortfall {
            return Verification(refusedFor: shortfall)
        }
    }

    private func verification(
        of jws: CompactJWS, at now: Date, certificateDate: Date?, known: VerifiedChain?
    ) throws -> Verification<Payload> {
        let header: SigningHeader? = known == nil ? try SigningHeader(jws.headerObject(), rule: roots.rule) : nil
        let payload = try payload(of: jws)
        let signature = try jws.signatureBytes()
        let date = certificateDate ?? payload.signedDate

        let found = try header.map { header in
            try VerifiedChain(
                header.leaf, header.others, evidence: jws.encodedHeader, roots: roots, policy: .signedPayload, at: date)
        }
        guard let chain = known ?? found else { throw Shortfall.malformed("no header") }
        guard chain.validity.contains(date) else {
            throw VerifiedChain.expired
        }
        guard try chain.publicKey.isValid(rawSignature: signature, over: jws.signingInput) else {
            throw Shortfall(.signature, .badSignature, "the signature is not the signer's")
        }
        // From here on the header is known to be the signer's own, so that nobody else can fill a cache.
        return Verification(verdict: verdict(on: payload, at: now), chains: found.map { [$0] } ?? [])
    }

    private func payload(of jws: CompactJWS) throws(Shortfall) -> Payload {
        let object = try jws.payloadObject()
        if let kind = ArtifactKind.distinct(object), kind != Payload.kind {
            let message = "this is of the kind \(kind.rawValue), not \(Payload.kind.rawValue)"
            throw Shortfall(.kind, .malformed, message)
        }
        do {
            return try Payload(object)
        } catch {
            throw .malformed("payload: \(error)")
        }
    }

    private func verdict(on payload: Payload, at now: Date) -> Verdict<Payload> {
        if let bundleID, !payload.isFor(bundleID: bundleID) {
            return .refused(step: .metadata, reason: .wrongApp, message: "not for the app \(bundleID)")
        }
        guard isAccepted(payload.environment) else {
            return .refused(
                step: .metadata, reason: .wrongEnvironment,
                message: "from the environment \(payload.environment?.rawValue.prefix(40) ?? "unknown")")
        }
        if let appAppleID, payload.appAppleID.map({ $0 != appAppleID }) ?? payload.hasToTellAppleID {
            return .refused(
                step: .metadata, reason: .wrongApp,
                message: "for the app with Apple's id \(payload.appAppleID.map(String.init) ?? "unknown")")
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

extension SignedPayload {
    /// Whether Apple would have told its number of the app.
    fileprivate var hasToTellAppleID: Bool {
        Self.kind != .transaction && Self.kind != .renewal
            && ![.sandbox, .xcode, .localTesting].contains(environment)
    }
}
