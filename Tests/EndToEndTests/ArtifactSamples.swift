import Crypto
import Foundation
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import TestSupport

/// One genuine artifact of each kind, as a device, a store and its server would send them now.
struct ArtifactSamples {
    static let team = "A1B2C3D4E5"

    let transaction: TransactionPayload
    private(set) var all: [(kind: Artifact.Kind, text: String)] = []
    private var originals: [Artifact.Kind: String] = [:]

    init(of installation: Installation) throws {
        let authority = installation.authority
        let now = Date()
        var store = SimulatedStore(bundleID: Installation.app, environment: .production, seed: 43)
        let (bought, received, told) = (
            store.buy(Installation.product, at: now), store.buy(Installation.product, at: now),
            store.buy(Installation.product, at: now)
        )
        transaction = bought.latest
        originals[.transaction] = bought.latest.originalTransactionID
        originals[.receipt] = received.latest.originalTransactionID
        originals[.notification] = told.latest.originalTransactionID
        originals[.purchase] = "token-43"

        all.append((.transaction, try authority.signTransaction(bought.latest)))
        if let renewal = bought.renewal { all.append((.renewal, try authority.signRenewal(renewal))) }
        var download = AppTransactionPayload(signedDate: now)
        download.bundleID = Installation.app
        download.environment = .production
        all.append((.appTransaction, try authority.signAppTransaction(download)))
        var receipt = ReceiptDesign(bundleID: Installation.app, createdAt: now)
        receipt.environment = "Production"
        receipt.purchases = [ReceiptPurchase(received.latest)]
        all.append((.receipt, Base64.standard.encode(try authority.signReceipt(receipt))))
        var notification = NotificationDesign(
            "SUBSCRIBED", "INITIAL_BUY", uuid: UUID().uuidString, signedDate: now,
            members: ["bundleId": .string(Installation.app), "environment": .string("Production")])
        notification.transaction = told.latest
        notification.renewal = told.renewal
        let body = TestAuthority.requestBody(of: try authority.signNotification(notification))
        all.append((.notification, String(decoding: body, as: UTF8.self)))
        let purchase = SignedPurchaseDesign(
            packageName: Installation.app, productID: Installation.product.id, purchaseToken: "token-43",
            orderID: "GPA.43", purchasedAt: now)
        let signed = try JSONCoding.encode(try authority.signPurchase(purchase))
        all.append((.purchase, String(decoding: signed, as: UTF8.self)))
        all += try Self.proofs(by: authority, at: now)
    }

    func user(of kind: Artifact.Kind) -> AppUserID { AppUserID(rawValue: "user-of-\(kind)") }

    /// That what it tells belongs to a user of its own; nil where it tells of no purchase.
    func claim(with kind: Artifact.Kind) -> TransactionClaim? {
        originals[kind].map {
            TransactionClaim(
                user: user(of: kind), originalTransactionID: OriginalTransactionID(rawValue: $0), trust: .unverified)
        }
    }

    /// What a device proves with App Attest, with what that was made for.
    private static func proofs(
        by authority: TestAuthority, at now: Date
    ) throws -> [(kind: Artifact.Kind, text: String)] {
        var device = try SimulatedDevice(appID: "\(team).\(Installation.app)")
        let hash = Digest.sha256("challenge".utf8)
        let attestation = try device.attest(clientDataHash: hash, by: authority, at: now)
        let assertion = try device.assert(clientDataHash: hash)
        let certificate = try CertificateBuilder(commonName: "device", validity: now - 1_000...now + 1_000_000)
            .selfSigned(by: device.key)
        let receipt = try authority.signAttestationReceipt(
            AttestationReceiptDesign(appID: device.appID, environment: .production, createdAt: now),
            certificate: certificate)
        return [
            (
                .attestation,
                try text([
                    "attestation": Base64.standard.encode(attestation),
                    "key_id": Base64.standard.encode(device.keyID), "challenge": "challenge",
                ])
            ),
            (
                .assertion,
                try text([
                    "assertion": Base64.standard.encode(assertion),
                    "public_key": Base64.standard.encode(device.publicKey), "challenge": "challenge",
                ])
            ),
            (.attestationReceipt, try text(["attestation_receipt": Base64.standard.encode(receipt)])),
        ]
    }

    private static func text(_ members: [String: String]) throws -> String {
        String(decoding: try JSONCoding.encode(members), as: UTF8.self)
    }
}
