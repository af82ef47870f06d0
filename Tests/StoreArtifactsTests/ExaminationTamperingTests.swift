import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import TestSupport
import Testing

@Suite("Examining what was tampered with")
struct ExaminationTamperingTests {
    /// One of each, in one dress or another, genuine below the test authority's root.
    static let genuine = Result {
        let authority = try ExaminationTests.authority.get()
        let purchase = ExaminationTests.purchase()
        let transaction = try authority.signTransaction(purchase.latest)
        var device = try SimulatedDevice(appID: "TEAM.com.example.tunes")
        let hash = Digest.sha256("request".utf8)
        let attestation = try device.attest(clientDataHash: hash, by: authority, at: ExaminationTests.now)
        let assertion = try device.assert(clientDataHash: hash)
        let about = #""client_data_hash":"\#(hash.hexadecimal)""#
        let key = Base64.standard.encode(device.publicKey)
        var receipt = ReceiptDesign(bundleID: "com.example.tunes", createdAt: ExaminationTests.now - 60)
        receipt.purchases = [ReceiptPurchase(purchase.latest)]
        var notification = NotificationDesign(
            "SUBSCRIBED", uuid: "6f7d6c0e-6a86-4ad5-a3a6-5a5e5d7f4f11", signedDate: ExaminationTests.now,
            members: ["bundleId": .string("com.example.tunes"), "environment": .string("Sandbox")])
        notification.transaction = purchase.latest
        let order = SignedPurchaseDesign(
            packageName: "com.example.tunes", productID: "gas", purchaseToken: "catappult.inapp.purchase.1",
            orderID: "1", purchasedAt: ExaminationTests.now - 60)
        let texts = [
            Base64.standard.encode(try authority.signReceipt(receipt)),
            try authority.signNotification(notification),
            String(decoding: try JSONEncoder().encode(try authority.signPurchase(order)), as: UTF8.self),
            transaction, #"{"signedTransactionInfo": "\#(transaction)"}"#,
            try authority.signRenewal(purchase.renewal ?? RenewalPayload(signedDate: ExaminationTests.now)),
            #"{"attestation":"\#(Base64.url.encode(attestation))",\#(about)}"#,
            #"{"assertion":"\#(Base64.standard.encode(assertion))",\#(about),"public_key":"\#(key)"}"#,
        ]
        return texts.map { Array($0.utf8) }
    }

    @Test("As they are, they are verified", arguments: 0..<8)
    func untouched(index: Int) throws {
        let report = try Self.examine(Self.genuine.get()[index])

        #expect(report.verdict == .verified, "\(report)")
    }

    @Test("Changed anywhere, they are refused or say the same", arguments: 0..<8)
    func changed(index: Int) throws {
        let bytes = try Self.genuine.get()[index]
        let fields = try Self.examine(bytes).fields
        var generator = SeededGenerator(seed: 20_260_731)

        for _ in 0..<60 {
            var mutant = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<mutant.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: mutant.remove(at: place)
                case 1: mutant.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                case 2: mutant[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                default: mutant.removeSubrange(place..<min(mutant.count, place + 50))
                }
                if mutant.isEmpty { mutant = [0] }
            }

            let report = try Self.examine(mutant)

            if report.verdict == .verified { #expect(Self.protected(report.fields) == Self.protected(fields)) }
        }
    }

    @Test("Cut anywhere, they are never verified", arguments: 0..<8)
    func cut(index: Int) throws {
        let bytes = try Self.genuine.get()[index]
        // Behind what is signed there may be a bracket.
        for count in stride(from: 0, to: bytes.count - 2, by: 47) {
            #expect(try Self.examine(Array(bytes[..<count])).verdict == .refused)
        }
    }

    /// Nothing in an attestation protects the receipt in it, which has a verdict of its own.
    static func protected(_ fields: [String: JSONValue]) -> [String: JSONValue] {
        fields.filter { !["receipt", "receipt_sha256"].contains($0.key) }
    }

    static func examine(_ bytes: [UInt8]) throws -> ArtifactReport {
        var expectations = Expectations()
        expectations.believesOwnKey = true
        return try ExaminationTests.examiner()
            .examine(bytes, expecting: expectations, at: ExaminationTests.now).report
    }
}
