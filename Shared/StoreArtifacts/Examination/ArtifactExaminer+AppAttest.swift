internal import Crypto
internal import FoundationEssentials
internal import JSON

extension ArtifactExaminer {
    private static let attestationSteps: [VerificationStep] = [
        .cbor, .format, .chain, .nonce, .keyID, .appID, .counter, .environment, .credentialID, .publicKey,
    ]
    private static let assertionSteps: [VerificationStep] = [.cbor, .signature, .appID, .counter]
    private static let receiptSteps: [VerificationStep] = [.structure, .chain, .signature, .appID, .publicKey, .age]

    func examineAttestation(_ question: Question) throws -> Examination {
        let (expectations, bytes) = (question.expectations, question.artifact.bytes)
        let verifier = AttestationVerifier(
            appID: expectations.appID, environments: expectations.attestedEnvironments, roots: trust.attestations,
            receiptRoots: trust.attestationReceipts)
        let verification = try verifier.verify(
            bytes, keyID: expectations.keyID, clientData: expectations.clientData, at: question.date,
            cache: question.cache)
        let verified = verification.verdict.verifiedValue
        let read = verified?.attestation ?? Attestation(unverified: bytes)

        return Examination(
            artifact: question.artifact, kind: .attestation,
            verdict: verification.verdict.map(VerifiedArtifact.attestation),
            trust: verification.verdict.isVerified ? trust.attestations.trust : nil,
            environment: read.map { ArtifactEnvironment(rawValue: $0.environment.rawValue) },
            checks: verification.verdict.checks(Self.attestationSteps) { step in
                switch step {
                case .keyID: expectations.keyID == nil
                case .appID: expectations.appID == nil
                case .environment: expectations.environments == nil
                default: false
                }
            },
            chains: verification.chains,
            findSigner: { (try? AttestationObject(bytes).certificates())?.first.flatMap { try? Certificate(der: $0) } },
            decode: {
                var fields = read?.fields ?? [:]
                fields["receipt"] = (verified?.receipt).map { .object($0.summary) }
                return fields
            })
    }

    func examineAssertion(_ question: Question) throws -> Examination {
        let (expectations, bytes) = (question.expectations, question.artifact.bytes)
        let key = expectations.attestedKey ?? question.artifact.publicKey
        let verdict = try AssertionVerifier(appID: expectations.appID)
            .verify(
                bytes, publicKey: key, clientData: expectations.clientData, lastCounter: expectations.lastCounter)

        return Examination(
            artifact: question.artifact, kind: .assertion, verdict: verdict.map(VerifiedArtifact.assertion),
            trust: verdict.isVerified ? (expectations.attestedKey == nil ? .ownKey : .key) : nil, environment: nil,
            checks: verdict.checks(Self.assertionSteps) { step in
                switch step {
                case .appID: expectations.appID == nil
                case .counter: expectations.lastCounter == nil
                default: false
                }
            },
            chains: [], findSigner: { nil },
            decode: { (verdict.verifiedValue ?? Assertion(unverified: bytes))?.fields ?? [:] })
    }

    func examineAttestationReceipt(_ question: Question) throws -> Examination {
        let (expectations, bytes) = (question.expectations, question.artifact.bytes)
        let key = expectations.attestedKey ?? question.artifact.publicKey
        let verification = try AttestationReceiptVerifier(appID: expectations.appID, roots: trust.attestationReceipts)
            .verify(
                bytes, publicKey: key, maximumAge: expectations.maximumAge, at: question.date, cache: question.cache)
        let read = verification.verdict.verifiedValue ?? AttestationReceipt(unverified: bytes)

        return Examination(
            artifact: question.artifact, kind: .attestationReceipt,
            verdict: verification.verdict.map(VerifiedArtifact.attestationReceipt),
            trust: verification.verdict.isVerified ? trust.attestationReceipts.trust : nil,
            environment: read.map { ArtifactEnvironment(attested: $0.environment) },
            checks: verification.verdict.checks(Self.receiptSteps) { step in
                switch step {
                case .appID: expectations.appID == nil
                case .publicKey: key == nil
                default: false
                }
            },
            chains: verification.chains, findSigner: { SignedContainer.signer(in: bytes) },
            decode: { read?.fields ?? [:] })
    }
}

extension SignedContainer {
    /// The certificate that the signer names as his.
    static func signer(in bytes: [UInt8]) -> Certificate? {
        guard let container = try? SignedContainer(bytes, limit: bytes.count) else { return nil }
        return try? container.signerCertificate()
    }
}

extension Expectations {
    /// Apple's two services; what it calls the sandbox elsewhere is development here.
    fileprivate var attestedEnvironments: Set<AttestedEnvironment>? {
        environments.map { environments in
            Set(
                environments.compactMap { environment in
                    switch environment {
                    case .production: .production
                    case .development, .sandbox: .development
                    default: nil
                    }
                })
        }
    }
}

extension ArtifactEnvironment {
    /// In the words of App Attest receipts.
    fileprivate init(attested word: String?) {
        switch word {
        case "production": self = .production
        case "sandbox", "development": self = .development
        default: self = .unknown
        }
    }
}

extension Verdict<AttestationReceipt> {
    /// What to think of the receipt in an attestation, which nothing in there protects.
    fileprivate var summary: [String: JSONValue] {
        switch self {
        case .verified(let receipt): receipt.fields.merging(["verdict": .string("verified")]) { $1 }
        case .refused(let step, let reason, let message):
            [
                "verdict": .string("refused"), "step": .string(step.rawValue), "reason": .string(reason.rawValue),
                "message": .string(message),
            ]
        case .retryable(let reason): ["verdict": .string("retryable"), "reason": .string(reason.rawValue)]
        }
    }
}
