import Crypto
import Foundation
import HTTPClient
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Verdicts over HTTP", .serialized)
    struct VerifyRouteTests {
        @Test("A server gets the verdict on transaction and receipt, and 503 while the validator is away")
        func verdicts() async throws {
            let installation = try await Installation.start()
            let authority = installation.authority
            let writer = try await installation.newKey("writer", scope: "write")
            var store = SimulatedStore(bundleID: Installation.app, environment: .production, seed: 51)
            let payload = store.buy(Installation.product, at: Date()).latest
            let transaction = try authority.signTransaction(payload)
            let forged = try TestAuthority.make().signTransaction(payload)
            let receipt = Data(
                try authority.signReceipt(ReceiptDesign(bundleID: Installation.app, createdAt: Date()))
            ).base64EncodedString()

            for (kind, artifact, verdict) in [
                ("auto", transaction, "verified"), ("transaction", transaction, "verified"),
                ("auto", receipt, "verified"), ("receipt", receipt, "verified"), ("transaction", forged, "refused"),
                ("receipt", transaction, "refused"),
            ] {
                let response = try await installation.verify(artifact, as: kind, with: writer)
                #expect(response.status == 200)
                let report = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
                #expect(report["verdict"] == .string(verdict), "\(kind): \(response.text)")
            }
            #expect(try await installation.verify(transaction, with: installation.key).status == 403)
            for (count, status) in [(2 << 20, 200), (2 << 20 + 1, 413)] {
                let text = String(repeating: "A", count: count - Installation.body("", "auto").utf8.count)
                #expect(try await installation.verify(text, with: writer).status == status)
            }

            await installation.stop(.receiptValidator)
            let away = try await installation.verify(transaction, with: writer)
            #expect(away.status == 503)
            #expect(away.header("Retry-After") == "1")
            #expect(away.text.contains("validator_unavailable"))
            try await installation.start(.receiptValidator)
            let isBack = await eventually {
                (try? await installation.verify(transaction, with: writer))?.status == 200
            }
            #expect(isBack)
            // A request is no command: what could not be answered leaves nothing behind.
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }
    }
}

extension Installation {
    /// Makes a server key.
    fileprivate func newKey(_ name: String, scope: String) async throws -> String {
        struct Added: Decodable { let secret: String }
        let added = try await succeed("keys", "add", name, "--scope", scope, "--json")
        return try JSONDecoder().decode(Added.self, from: Data(added.output.utf8)).secret
    }

    fileprivate static func body(_ artifact: String, _ kind: String) -> String {
        #"{"bundleId":"\#(app)","kind":"\#(kind)","artifact":"\#(artifact)"}"#
    }

    fileprivate nonisolated func verify(
        _ artifact: String, as kind: String = "auto", with key: String
    ) async throws -> HTTPResponse {
        try await http.send(
            HTTPRequest(
                method: "POST", url: "http://127.0.0.1:\(edgePort)/api/v1/verify",
                headers: ["Authorization": "Bearer \(key)"], body: Array(Self.body(artifact, kind).utf8),
                timeout: .seconds(15)))
    }
}
