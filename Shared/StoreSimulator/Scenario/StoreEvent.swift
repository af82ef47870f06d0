internal import Crypto
public import FoundationEssentials
internal import JSON
public import StoreArtifacts

/// Something that happens at a store, and what the store signs about it.
public struct StoreEvent: Sendable {
    /// What happens, in words with hyphens: `auto-renew-off`.
    public let name: String
    /// When.
    public let at: Date
    /// When the store signs what it has to say; never before ``at``, but before the period begins that it may be about.
    public let signedAt: Date
    /// What it signs.
    public let documents: [StoreDocument]
}

/// Something to be signed by a store: which one is up to the authority.
public enum StoreDocument: Sendable {
    case transaction(TransactionPayload)
    case renewal(RenewalPayload)
    case appTransaction(AppTransactionPayload)
    case notification(NotificationDesign)
    case receipt(ReceiptDesign)
    case purchase(SignedPurchaseDesign)
    /// A device attests its key in answer to a challenge.
    case attestation(SeededDevice, challenge: String, at: Date)
    /// A device signs a request: its next one.
    case assertion(SeededDevice, clientData: String)

    /// What it is.
    public var kind: ArtifactKind {
        switch self {
        case .transaction: .transaction
        case .renewal: .renewal
        case .appTransaction: .appTransaction
        case .notification: .notification
        case .receipt: .receipt
        case .purchase: .purchase
        case .attestation: .attestation
        case .assertion: .assertion
        }
    }

    /// How a file with it is called at its end.
    public var fileExtension: String {
        switch self {
        case .transaction, .renewal, .appTransaction, .notification: "jws"
        case .receipt: "der"
        case .purchase, .attestation, .assertion: "json"
        }
    }

    /// The bytes as an app or a server would get them: a compact JWS; a receipt in DER; JSON for what needs more than
    /// one part.
    public func signed(by authority: TestAuthority) throws -> [UInt8] {
        switch self {
        case .transaction(let payload): return Array(try authority.signTransaction(payload).utf8)
        case .renewal(let payload): return Array(try authority.signRenewal(payload).utf8)
        case .appTransaction(let payload): return Array(try authority.signAppTransaction(payload).utf8)
        case .notification(let design): return Array(try authority.signNotification(design).utf8)
        case .receipt(let design): return try authority.signReceipt(design)
        case .purchase(let design): return try JSONCoding.encode(try authority.signPurchase(design))
        case .attestation(let seeded, let challenge, let date):
            let device = try seeded.device()
            let object = try device.attest(
                clientDataHash: Digest.sha256(challenge.utf8), by: authority, at: date)
            return try JSONCoding.encode([
                "attestation": Base64.standard.encode(object), "key_id": Base64.standard.encode(device.keyID),
                "challenge": challenge,
            ])
        case .assertion(let seeded, let clientData):
            var device = try seeded.device()
            let object = try device.assert(clientDataHash: Digest.sha256(clientData.utf8))
            return try JSONCoding.encode(
                JSONValue.object([
                    "assertion": .string(Base64.standard.encode(object)),
                    "public_key": .string(Base64.standard.encode(device.publicKey)),
                    "client_data": .string(Base64.standard.encode(clientData.utf8)),
                    "last_counter": .integer(Int64(seeded.counter)),
                ]))
        }
    }
}
