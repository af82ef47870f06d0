import Crypto
import Foundation
import JSON
import Messages
import StoreSimulator
import TestSupport
import Testing

@testable import ReceiptValidator

/// What Apple's devices and servers have really signed, on its way through the service.
@Suite("Genuine artifacts", .enabled(if: Vectors.areThere, "no vectors here: set TOLLGATE_VECTORS"))
struct GenuineTests {
    private static let kinds: [String: Artifact.Kind] = [
        "jws-transaction": .transaction, "jws-notification": .notification, "pkcs7-receipt": .receipt,
    ]
    private static let apple: Set = ["certs/AppleRootCA-G3.cer", "certs/AppleIncRootCertificate.cer"]

    /// Those that an app of the stores has to accept.
    static let accepted = Vectors.entries.filter { vector in
        kinds[vector.kind] != nil && vector.expect.outcome == "valid" && vector.condition("bundle_id") != nil
            && !vector.rootNames.isEmpty && vector.rootNames.allSatisfy(apple.contains)
    }

    private static func text(of vector: Vector) throws -> String {
        let bytes = try vector.bytes()
        return vector.kind == "pkcs7-receipt" ? Base64.standard.encode(bytes) : String(decoding: bytes, as: UTF8.self)
    }

    @Test("Each is accepted in its own app under Apple's roots, told by its own ids, and refused in every other app")
    func accepted() async throws {
        #expect(Self.accepted.count >= 30)
        for vector in Self.accepted {
            let store = try await ValidatorStore()
            let app = AppID(rawValue: vector.condition("bundle_id") ?? "")
            try await store.connect(app)
            try await store.connect(ValidatorStore.app)
            try await store.connect(ValidatorStore.testApp, testRoots: [store.rootText])
            let (text, kind) = (try Self.text(of: vector), Self.kinds[vector.kind] ?? .auto)

            let outcome = try await store.submit(text, for: app, kind: kind, at: .now)

            #expect(outcome.refusal == nil, "\(vector)")
            let told = try outcome.all(TransactionVerified.self)
            #expect(told.allSatisfy { !$0.isTest && $0.transaction.signedAt < .now }, "\(vector)")
            #expect(Set(told.map(\.transaction.id)) == (try Self.ids(in: vector) ?? Set(told.map(\.transaction.id))))
            #expect(Set(told.map(\.transaction.id)).count == told.count, "\(vector)")
            #expect(try outcome.all(NotificationVerified.self).count == (kind == .notification ? 1 : 0), "\(vector)")
            if kind == .transaction { #expect(told.count == 1, "\(vector)") }
            let elsewhere = try await store.submit(text, for: ValidatorStore.app, kind: kind, id: "2", at: .now)
            #expect(elsewhere.refusal?.reason == "wrong_app", "\(vector)")
            let test = try await store.submit(text, for: ValidatorStore.testApp, kind: kind, id: "3", at: .now)
            #expect(test.refusal?.reason == "untrusted_chain", "\(vector)")
        }
    }

    @Test(
        "Whatever they hold, there is a verdict on each: for an app that none of them names, no but to what names none")
    func all() async throws {
        let store = try await ValidatorStore.connected()
        for (index, vector) in Vectors.entries.enumerated() {
            // As a server would send it: what is no text in Base64.
            let bytes = try vector.bytes()
            let text = bytes.allSatisfy { $0 < 0x80 } ? try Self.text(of: vector) : Base64.standard.encode(bytes)

            let report = try await store.verify(text, for: ValidatorStore.app, id: "\(index)", at: .now).report

            // Renewal information is somebody's chain's, and tells nothing until the chain is known.
            let isRenewal = report?["kind"] == .string("renewal") && vector.expect.outcome == "valid"
            let isFromApple = vector.rootNames == ["certs/AppleRootCA-G3.cer"]
            #expect(
                report?["verdict"] == .string(isRenewal && isFromApple ? "verified" : "refused"), "\(vector)")
        }
    }

    /// The usable ids of a receipt's purchases, as the vectors have them.
    private static func ids(in vector: Vector) throws -> Set<TransactionID>? {
        guard case .array(let rows)? = try vector.expect.allFields()?["in_app"] else { return nil }
        return Set(
            rows.compactMap { $0["transaction_id"]?.string }.filter { $0 != "0" && !$0.isEmpty }
                .map(TransactionID.init(rawValue:)))
    }
}
