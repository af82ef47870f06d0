/// What some bytes turned out to be before anything about them was verified.
public struct RecognisedArtifact: Sendable, Hashable {
    /// What it is. Told by its looks: nothing of it is to be believed.
    public let kind: ArtifactKind
    /// The kinds as which it can be verified if a caller knows better: some genuine signed texts hold so little that
    /// their kind has to be guessed, and what looks like nothing may be a damaged something.
    public let candidates: Set<ArtifactKind>
    /// The artifact without its dress: DER, CBOR, the compact JWS, the purchase's JSON. Equal for all dresses of one.
    public let bytes: [UInt8]
    /// With its article, for sentences: "a signed transaction (JWS)".
    public let description: String
    /// What came with it in the same JSON: what it was made for, its key's name, counter and age. Nothing that names an app.
    public let supplied: Expectations
    /// The public key that came with it, which proves nothing about who signed.
    public let publicKey: [UInt8]?

    init(
        _ kind: ArtifactKind, _ bytes: [UInt8], candidates: Set<ArtifactKind> = [], description: String? = nil,
        supplied: Expectations = Expectations(), publicKey: [UInt8]? = nil
    ) {
        self.kind = kind
        self.candidates = candidates.union(ArtifactKind.verifiable.filter { $0 == kind })
        self.bytes = bytes
        self.description = description ?? kind.phrase
        self.supplied = supplied
        self.publicKey = publicKey
    }
}

extension ArtifactKind {
    /// With its article, for sentences.
    public var phrase: String { Self.phrases[self] ?? "nothing that a store signs" }

    private static let phrases: [ArtifactKind: String] = [
        receipt: "an App Store receipt (PKCS#7)",
        transaction: "a signed transaction (JWS)",
        renewal: "signed renewal information (JWS)",
        appTransaction: "a signed app transaction (JWS)",
        notification: "an App Store Server Notification, version 2 (JWS)",
        attestation: "an App Attest attestation",
        assertion: "an App Attest assertion",
        attestationReceipt: "an App Attest receipt (PKCS#7)",
        purchase: "a signed purchase of Google Play or AppCoins",
        iOS6Receipt: "a transaction receipt of iOS 6 or older",
        notificationV1: "an App Store Server Notification, version 1 (it carries no signature)",
        certificate: "a certificate",
    ]
}
