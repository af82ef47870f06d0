import Crypto
import Foundation
import StoreSimulator
import Testing

@Suite("Simulated purchases of Google and AppCoins")
struct SignedPurchaseTests {
    @Test("The text has AppCoins' seven members, and its SHA-1 is signed by the key that is told")
    func signature() throws {
        let authority = try SimulatedReceiptTests.authority.get()
        var design = SignedPurchaseDesign(
            packageName: "com.example.racer", productID: "fuel", purchaseToken: "token", orderID: "order",
            purchasedAt: Date(timeIntervalSince1970: 1_772_359_289.014))
        design.developerPayload = "a \"quoted\"/é"

        let purchase = try authority.signPurchase(design)

        #expect(
            purchase.signedData == #"{"orderId":"order","packageName":"com.example.racer","productId":"fuel","#
                + #""purchaseTime":1772359289014,"purchaseToken":"token","purchaseState":0,"#
                + #""developerPayload":"a \"quoted\"/é"}"#)
        let key = try PublicKey(der: try #require(Base64.standard.decode(purchase.publicKey.utf8)))
        let signature = try #require(Base64.standard.decode(purchase.signature.utf8))
        #expect(try key.isValid(pkcs1Signature: signature, over: Array(purchase.signedData.utf8), digest: .sha1))
        #expect(try !key.isValid(pkcs1Signature: signature, over: Array(purchase.signedData.utf8), digest: .sha256))
    }
}
