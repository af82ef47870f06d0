import Foundation
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import Testing

@testable import ReceiptValidator

@Suite("Notifications")
struct NotificationTests {
    static let noon = ValidatorStore.noon

    /// What Apple's server would send of a purchase.
    private func notification(
        from store: ValidatorStore, of purchase: Purchase?, type: String = "DID_RENEW", subtype: String? = nil,
        bundleID: AppID = ValidatorStore.testApp, transactionBy other: TestAuthority? = nil
    ) throws -> String {
        var data: [String: JSONValue] = [
            "bundleId": .string(bundleID.rawValue), "environment": .string("Sandbox"), "status": .integer(1),
        ]
        if let purchase {
            data["signedTransactionInfo"] = .string(
                try (other ?? store.authority).signTransaction(purchase.latest))
            if let renewal = purchase.renewal {
                data["signedRenewalInfo"] = .string(try store.authority.signRenewal(renewal))
            }
        }
        var payload: [String: JSONValue] = [
            "notificationType": .string(type), "notificationUUID": .string("0B1C6A52-7A3E-4C38-9D0F-0D9A2F5D5C11"),
            "version": .string("2.0"), "signedDate": .integer(Self.noon.millisecondsSince1970), "data": .object(data),
        ]
        payload["subtype"] = subtype.map { .string($0) }
        return try store.authority.sign(try JSONCoding.encode(payload))
    }

    private func purchase() -> Purchase {
        var store = SimulatedStore(bundleID: ValidatorStore.testApp.rawValue)
        return store.buy(.subscription("pro.monthly"), at: Self.noon.date)
    }

    @Test("A notification is published with the transaction and the renewal information in it, all of one digest")
    func complete() async throws {
        let store = try await ValidatorStore.connected()
        let purchase = purchase()
        let signed = try notification(from: store, of: purchase, type: "SUBSCRIBED", subtype: "INITIAL_BUY")
        let body = #"{"signedPayload":"\#(signed)"}"#

        let outcome = try await store.submit(body, kind: .notification)

        #expect(outcome.refusal == nil)
        #expect(outcome.published.count == 3)
        let told = try #require(try outcome.all(NotificationVerified.self).first)
        #expect(told.notificationID == "0B1C6A52-7A3E-4C38-9D0F-0D9A2F5D5C11")
        #expect(told.type == "SUBSCRIBED")
        #expect(told.subtype == "INITIAL_BUY")
        #expect(told.signedAt == Self.noon)
        #expect(told.environment == .sandbox)
        #expect(told.originalTransactionID?.rawValue == purchase.latest.originalTransactionID)
        #expect(told.transactionID?.rawValue == purchase.latest.transactionID)
        #expect(told.product?.rawValue == "pro.monthly")
        #expect(told.subscriptionStatus == 1)
        let transaction = try #require(try outcome.all(TransactionVerified.self).first)
        let renewal = try #require(try outcome.all(RenewalVerified.self).first)
        #expect(told.key == transaction.key && told.key == renewal.key)
        #expect(told.digest == transaction.digest && told.digest == renewal.digest)
        #expect(told.digest == ArtifactDigest(of: body))
    }

    @Test("A test carries nothing, and is published under its own id")
    func test() async throws {
        let store = try await ValidatorStore.connected()

        let outcome = try await store.submit(
            try notification(from: store, of: nil, type: "TEST"), kind: .notification)

        let told = try #require(try outcome.all(NotificationVerified.self).first)
        #expect(told.key == "demo/0B1C6A52-7A3E-4C38-9D0F-0D9A2F5D5C11")
        #expect(outcome.published.count == 1)
    }

    @Test("A type that nobody has heard of stays what it is")
    func unknownType() async throws {
        let store = try await ValidatorStore.connected()

        let outcome = try await store.submit(
            try notification(from: store, of: purchase(), type: "COFFEE_BREAK", subtype: "LONG"), kind: .notification)

        #expect(try outcome.all(NotificationVerified.self).map(\.type) == ["COFFEE_BREAK"])
        #expect(try outcome.all(NotificationVerified.self).map(\.subtype) == ["LONG"])
    }

    @Test("One of another app, or with a forged transaction in it, is refused as a whole")
    func refused() async throws {
        let store = try await ValidatorStore.connected()
        let foreign = try notification(from: store, of: purchase(), bundleID: AppID(rawValue: "com.example.radio"))
        let forged = try notification(from: store, of: purchase(), transactionBy: try TestAuthority.make())

        let outcomes = [
            try await store.submit(foreign, kind: .notification, id: "1"),
            try await store.submit(forged, kind: .notification, id: "2"),
        ]

        #expect(outcomes.map { $0.refusal?.reason } == ["wrong_app", "untrusted_chain"])
        #expect(
            try outcomes.flatMap { try $0.all(ArtifactRefused.self) }.map(\.artifactKind) == [
                .notification, .notification,
            ])
        #expect(outcomes.allSatisfy { $0.published.count == 1 })
    }

    @Test("What is refused takes nothing from the genuine one, though both have one name")
    func forgedName() async throws {
        let store = try await ValidatorStore.connected()
        let genuine = try notification(from: store, of: purchase())
        let forged = try TestAuthority.make().sign(Array("{}".utf8)).split(separator: ".")
        let parts = genuine.split(separator: ".")
        try await store.submit("\(forged[0]).\(parts[1]).\(forged[2])", kind: .notification, id: "1")

        let outcome = try await store.submit(genuine, kind: .notification, id: "2")

        #expect(try outcome.all(NotificationVerified.self).count == 1)
    }
}
