internal import FoundationEssentials
internal import JSON

extension ArtifactExaminer {
    func examinePurchase(_ question: Question) throws -> Examination {
        let (expectations, json) = (question.expectations, question.artifact.bytes)
        let verifier = SignedPurchaseVerifier(
            keys: expectations.publicKeys, believesOwnKey: expectations.believesOwnKey,
            packageName: expectations.bundleID, productID: expectations.product, purchaseToken: expectations.token)
        let verdict = try verifier.verify(json, at: question.now)
        let envelope = try? PurchaseEnvelope(json, limit: SignedPurchaseVerifier.limit)

        return Examination(
            artifact: question.artifact, kind: .purchase, verdict: verdict.map(VerifiedArtifact.purchase),
            trust: verdict.isVerified ? (expectations.publicKeys.isEmpty ? .ownKey : .key) : nil, environment: nil,
            checks: verdict.checks(SignedPurchaseVerifier.steps + [.purchaseTime]) { step in
                switch step {
                case .package: expectations.bundleID == nil
                case .product: expectations.product ?? envelope?.productID == nil
                case .token: expectations.token ?? envelope?.purchaseToken == nil
                default: false
                }
            },
            chains: [], findSigner: { nil },
            decode: { envelope.map { Self.fields($0.signedData) } ?? [:] })
    }

    /// What was signed, as far as it can be read.
    private static func fields(_ signedData: String) -> [String: JSONValue] {
        let bytes = Array(signedData.utf8)
        return (try? JSONObject(bytes, limits: JSONLimits(depth: 16, bytes: bytes.count)))?.values ?? [:]
    }
}

extension VerificationStep {
    /// Whether it was bought before now.
    static let purchaseTime = VerificationStep(rawValue: "purchase_time")
}
