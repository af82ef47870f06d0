internal import Crypto
internal import FoundationEssentials
internal import JSON

extension ArtifactExaminer {
    func examineReceipt(_ question: Question) throws -> Examination {
        let (expectations, bytes) = (question.expectations, question.artifact.bytes)
        let roots = roots(forReceipt: bytes)
        let demandsMarker = trust.demandsIntermediateMarker || !roots.areTest || roots.rule == .selfSigned
        let device = expectations.device
        let verifier = ReceiptVerifier(
            bundleID: expectations.bundleID, environments: expectations.appleEnvironments,
            version: expectations.version, device: device, roots: roots, demandsIntermediateMarker: demandsMarker)
        let verification = try verifier.verify(
            bytes, at: question.now, certificateDate: expectations.certificateDate, cache: question.cache)
        let read = verification.verdict.verifiedValue ?? (try? SignedReceipt(bytes))
        let checked = Set(verifier.steps)

        return Examination(
            artifact: question.artifact, kind: .receipt,
            verdict: verification.verdict.map(VerifiedArtifact.receipt),
            trust: verification.verdict.isVerified ? roots.trust : nil,
            environment: read.map { ArtifactEnvironment($0.receipt.environment) },
            checks: verification.verdict.checks(Self.steps(of: verifier, demandsMarker: demandsMarker)) { step in
                step == .environment ? expectations.environments == nil : !checked.contains(step)
            },
            chains: verification.chains, findSigner: { SignedContainer.signer(in: bytes) },
            decode: { read?.fields(device: device) ?? [:] })
    }

    /// All that can be looked at: what is not asked for is told to be not checked.
    private static func steps(of verifier: ReceiptVerifier, demandsMarker: Bool) -> [VerificationStep] {
        let marker: [VerificationStep] = demandsMarker ? [] : [.intermediateMarker]
        let version = verifier.steps.filter { $0 == .version }
        return [.structure, .chain] + marker + [.signature, .bundleID, .environment] + version
            + [.deviceHash, .creationDate]
    }

    /// Xcode signs with a self-signed certificate; Apple never does.
    private func roots(forReceipt bytes: [UInt8]) -> TrustRoots {
        guard trust.storeKitTesting != nil, let signer = SignedContainer.signer(in: bytes),
            signer.subject == signer.issuer
        else { return trust.receipts }
        return trust.storeKitTesting(by: signer) ?? trust.receipts
    }
}

extension VerificationStep {
    /// Whether the certificate above the signer's has Apple's marker: not demanded below a root of one's own.
    static let intermediateMarker = VerificationStep(rawValue: "intermediate_marker")
}
