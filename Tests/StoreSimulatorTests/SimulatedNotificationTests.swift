import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Simulated notifications")
struct SimulatedNotificationTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("What is in a notification is signed in turn, by the same authority")
    func inner() throws {
        let authority = try SimulatedReceiptTests.authority.get()
        var store = SimulatedStore(bundleID: "com.example.app")
        let purchase = store.buy(.subscription("pro"), at: Self.now)
        var design = NotificationDesign(
            "SUBSCRIBED", "INITIAL_BUY", uuid: "u", signedDate: Self.now, members: ["status": .integer(1)])
        design.transaction = purchase.latest
        design.renewal = purchase.renewal

        let payload = try payload(of: authority.signNotification(design))

        #expect(payload["notificationType"]?.string == "SUBSCRIBED")
        #expect(payload["subtype"]?.string == "INITIAL_BUY")
        #expect(payload["signedDate"] == .integer(1_700_000_000_000))
        let data = try #require(payload["data"])
        #expect(data["status"] == .integer(1))
        let transaction = try #require(data["signedTransactionInfo"]?.string)
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
        guard case .verified(let verified) = try verifier.verify(Array(transaction.utf8), at: Self.now).verdict else {
            Issue.record("not verified")
            return
        }
        #expect(verified.transactionID == purchase.latest.transactionID)
        #expect(try self.payload(of: #require(data["signedRenewalInfo"]?.string))["autoRenewStatus"] == .integer(1))
    }

    @Test("Each shape has its own member", arguments: ["data", "summary", "externalPurchaseToken", "appData"])
    func shapes(name: String) throws {
        let shape = try #require(NotificationDesign.Shape(rawValue: name))
        var design = NotificationDesign(
            "TEST", uuid: "u", signedDate: Self.now, shape: shape, members: ["bundleId": .string("a")])
        if shape == .appData { design.appTransaction = AppTransactionPayload(signedDate: Self.now) }

        let payload = try payload(of: SimulatedReceiptTests.authority.get().signNotification(design))

        #expect(payload[name]?["bundleId"]?.string == "a")
        #expect(payload["subtype"] == nil)
        #expect((payload[name]?["signedAppTransactionInfo"]?.string != nil) == (shape == .appData))
    }

    private func payload(of text: String) throws -> JSONValue {
        let part = text.split(separator: ".")[1]
        let padded = part.replacing("-", with: "+").replacing("_", with: "/")
            .padding(toLength: (part.count + 3) / 4 * 4, withPad: "=", startingAt: 0)
        return try JSONDecoder().decode(JSONValue.self, from: try #require(Data(base64Encoded: padded)))
    }
}
