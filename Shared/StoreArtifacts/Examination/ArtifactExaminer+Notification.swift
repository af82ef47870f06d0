internal import FoundationEssentials
internal import JSON

extension ArtifactExaminer {
    func examineNotification(_ question: Question) throws -> Examination {
        let (expectations, text) = (question.expectations, question.artifact.bytes)
        let jws = try? CompactJWS(text, limit: text.count)
        let roots = roots(for: jws)
        let verifier = NotificationVerifier(
            bundleID: expectations.bundleID, environments: expectations.appleEnvironments,
            appAppleID: expectations.appAppleID, roots: roots)
        let verification = try verifier.verify(
            text, at: question.now, certificateDate: expectations.certificateDate, cache: question.cache)
        let verified = verification.verdict.verifiedValue
        let payload = verified?.payload ?? NotificationPayload.unverified(jws)

        return Examination(
            artifact: question.artifact, kind: .notification,
            verdict: verification.verdict.map(VerifiedArtifact.notification),
            trust: verification.verdict.isVerified ? roots.trust : nil,
            environment: payload.map { ArtifactEnvironment($0.environment) },
            checks: verification.verdict.checks(NotificationVerifier.steps(of: payload), dated: .metadata) { step in
                step == .metadata && expectations.hasNoMetadata(of: .notification)
            },
            chains: verification.chains, findSigner: { try? jws?.signer() },
            decode: { verified?.fields ?? (try? jws?.payloadObject())?.values ?? [:] })
    }
}
