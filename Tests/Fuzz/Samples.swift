import Crypto
import FoundationEssentials
import JSON
import StoreArtifacts
import StoreSimulator

/// One genuine artifact of each kind, as a test authority signs it.
enum Samples {
    static let bundleID = "com.example.app"
    static let appID = "TEAM123456.com.example.app"
    static let date = Date(timeIntervalSince1970: 1_700_000_000)

    static func receipt() throws -> [UInt8] {
        var receipt = ReceiptDesign(bundleID: bundleID, createdAt: date)
        receipt.purchases = [try purchase()].map { ReceiptPurchase($0.latest) }
        return try authority().signReceipt(receipt)
    }

    static func transaction() throws -> [UInt8] {
        Array(try authority().signTransaction(try purchase().latest).utf8)
    }

    static func renewal() throws -> [UInt8] {
        guard let renewal = try purchase().renewal else { return [] }
        return Array(try authority().signRenewal(renewal).utf8)
    }

    static func appTransaction() throws -> [UInt8] {
        var download = AppTransactionPayload(signedDate: date)
        download.bundleID = bundleID
        return Array(try authority().signAppTransaction(download).utf8)
    }

    static func notification() throws -> [UInt8] {
        let purchase = try purchase()
        var notification = NotificationDesign(
            "SUBSCRIBED", "INITIAL_BUY", uuid: UUID().uuidString.lowercased(), signedDate: date,
            members: ["bundleId": .string(bundleID), "environment": .string("Sandbox")])
        notification.transaction = purchase.latest
        notification.renewal = purchase.renewal
        return TestAuthority.requestBody(of: try authority().signNotification(notification))
    }

    static func signedPurchase() throws -> [UInt8] {
        let design = SignedPurchaseDesign(
            packageName: bundleID, productID: "gas", purchaseToken: "token", orderID: "GPA.1", purchasedAt: date)
        return try JSONCoding.encode(try authority().signPurchase(design))
    }

    /// With what it was made for, so that it gets as far as it can.
    static func attestation() throws -> [UInt8] {
        let device = try SimulatedDevice(appID: appID)
        let object = try device.attest(clientDataHash: clientDataHash, by: authority(), at: date)
        return try form([
            "attestation": Base64.standard.encode(object), "key_id": Base64.standard.encode(device.keyID),
            "client_data_hash": clientDataHash.hexadecimal,
        ])
    }

    static func assertion() throws -> [UInt8] {
        var device = try SimulatedDevice(appID: appID)
        let object = try device.assert(clientDataHash: clientDataHash)
        return try form([
            "assertion": Base64.standard.encode(object), "public_key": Base64.standard.encode(device.publicKey),
            "client_data_hash": clientDataHash.hexadecimal,
        ])
    }

    static func attestationReceipt() throws -> [UInt8] {
        let authority = try authority()
        return try authority.signAttestationReceipt(
            AttestationReceiptDesign(appID: appID, environment: .production, createdAt: date),
            certificate: authority.leaf)
    }

    private static let clientDataHash = Digest.sha256("challenge".utf8)

    private static func authority() throws -> TestAuthority { try TestAuthority.make() }

    private static func purchase() throws -> Purchase {
        var store = SimulatedStore(bundleID: bundleID)
        return store.buy(.subscription("pro.monthly"), at: date, appAccountToken: UUID().uuidString)
    }

    private static func form(_ members: [String: String]) throws -> [UInt8] { try JSONCoding.encode(members) }
}
