internal import Crypto
internal import FoundationEssentials
internal import JSON

extension ArtifactExaminer {
    /// Transactions and whatever else is signed by itself in the same way.
    func examineText<Payload: SignedPayload>(
        _ question: Question, _ kind: ArtifactKind, _ wrap: (Payload) -> VerifiedArtifact
    ) throws -> Examination {
        let expectations = question.expectations
        let text = question.artifact.bytes
        let jws = try? CompactJWS(text, limit: text.count)
        let roots = roots(for: jws)
        let verifier = SignedPayloadVerifier<Payload>(
            bundleID: expectations.bundleID,
            environments: expectations.appleEnvironments, appAppleID: expectations.appAppleID, roots: roots)
        let verification = try verifier.verify(
            text, at: question.now, certificateDate: expectations.certificateDate, cache: question.cache)
        let payload = verification.verdict.verifiedValue ?? Payload.unverified(jws)

        return Examination(
            artifact: question.artifact, kind: kind, verdict: verification.verdict.map(wrap),
            trust: verification.verdict.isVerified ? roots.trust : nil,
            environment: payload.map { ArtifactEnvironment($0.environment) },
            checks: verification.verdict.checks(SignedPayloadVerifier<Payload>.steps) { step in
                step == .metadata && expectations.hasNoMetadata(of: kind)
            },
            chains: verification.chains, findSigner: { try? jws?.signer() },
            decode: { (try? jws?.payloadObject())?.values ?? [:] })
    }

    /// Xcode signs with a single certificate; Apple never does.
    func roots(for jws: CompactJWS?) -> TrustRoots {
        guard trust.storeKitTesting != nil, let header = try? jws?.headerObject(),
            (try? header.strings("x5c"))??.count == 1, let signer = try? jws?.signer()
        else { return trust.signedTexts }
        return trust.storeKitTesting(by: signer) ?? trust.signedTexts
    }
}

extension SignedPayload {
    /// What a text says that was not verified: nothing of it is to be believed.
    static func unverified(_ jws: CompactJWS?) -> Self? {
        (try? jws?.payloadObject()).flatMap { try? Self($0) }
    }
}

extension CompactJWS {
    /// The first certificate of the header.
    func signer() throws -> Certificate? {
        try headerObject().strings("x5c")?.first.flatMap { Base64.standard.decode($0.utf8) }.map(Certificate.init(der:))
    }
}

extension TrustRoots {
    /// What a signature below them is worth.
    var trust: ArtifactReport.Trust {
        switch rule {
        case .appleChain: areTest ? .test : .apple
        case .selfSigned: .xcode
        }
    }
}

extension Expectations {
    /// Whether there is nothing to compare a signed text with. Of the app, some kinds do not tell anything.
    func hasNoMetadata(of kind: ArtifactKind) -> Bool {
        guard environments == nil else { return false }
        switch kind {
        case .renewal: return true
        case .transaction: return bundleID == nil
        default: return bundleID == nil && appAppleID == nil
        }
    }

    /// In Apple's words, as they stand in signed texts.
    var appleEnvironments: Set<AppleEnvironment>? {
        environments.map { $0.reduce(into: []) { $0.formUnion($1.appleEnvironments) } }
    }
}
