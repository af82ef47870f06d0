import Crypto
import Foundation
import JSON
import StoreArtifacts
import TestSupport
import Testing

@Suite("Vectors", .enabled(if: Vectors.areThere, "no vectors here: set TOLLGATE_VECTORS"))
struct VectorTests {
    @Test(
        "Transactions have the verdicts and fields of the manifest",
        arguments: Vectors.entries(ofKinds: ["jws-transaction"]))
    func transactions(vector: Vector) throws {
        try check(vector, as: TransactionPayload.self)
    }

    @Test("Renewal information has, too", arguments: Vectors.entries(ofKinds: ["jws-renewal"]))
    func renewals(vector: Vector) throws {
        try check(vector, as: RenewalPayload.self)
    }

    @Test("Whoever is in the cache makes no difference", arguments: Vectors.entries(ofKinds: ["jws-transaction"]))
    func cached(vector: Vector) throws {
        let cache = ChainCache()
        for genuine in Vectors.entries(ofKinds: ["jws-transaction", "jws-renewal"]) {
            let verifier = try verifier(for: genuine, of: TransactionPayload.self)
            if let chain = try verifier.verify(genuine.bytes(), at: .distantFuture).chain {
                cache.remember(chain, at: .distantPast)
            }
        }

        try check(vector, as: TransactionPayload.self, cache: cache)
    }

    @Test("Chains alone get as far as the manifest says", arguments: Vectors.entries(ofKinds: ["jws-chain"]))
    func chains(vector: Vector) throws {
        // A header of these certificates, a payload of that date, and no signature: a chain that is good is followed
        // by a signature that is not.
        let header = #"{"alg":"ES256",\#(String(decoding: try vector.bytes(), as: UTF8.self).drop { $0 != "\"" })"#
        let at = try Date(try #require(vector.condition("at")), strategy: .iso8601)
        let payload = #"{"signedDate":\#(Int(at.timeIntervalSince1970) * 1000)}"#
        let text = "\(Base64.url.encode(header.utf8)).\(Base64.url.encode(payload.utf8))."
        let verifier = try verifier(for: vector, of: TransactionPayload.self)

        guard case .refused(_, let reason, let message) = try verifier.verify(Array(text.utf8), at: at).verdict else {
            Issue.record("not refused")
            return
        }

        let expected = vector.expect.outcome == "valid" ? ["BAD_SIGNATURE"] : vector.expect.reasonCodes
        #expect(expected.contains(reason.rawValue.uppercased()), "\(reason): \(message)")
    }

    @Test("The root that is shipped is the one that is published")
    func shippedRoot() throws {
        let roots = try TrustRoots.apple()

        #expect(roots.certificates.map(\.der) == [try Vectors.file("certs/AppleRootCA-G3.cer")])
    }

    private func check<Payload: SignedPayload & Encodable>(
        _ vector: Vector, as type: Payload.Type, cache: ChainCache? = nil
    ) throws {
        let verifier = try verifier(for: vector, of: type)

        let verdict = try verifier.verify(vector.bytes(), at: .distantFuture, cache: cache).verdict

        switch verdict {
        case .verified(let payload):
            #expect(vector.expect.outcome == "valid")
            guard case .object(let expected) = vector.expect.fields?["payload"] else { return }
            try checkFields(of: payload, against: expected)
        case .refused(_, let reason, let message):
            #expect(vector.expect.outcome == "invalid", "\(message)")
            #expect(vector.expect.reasonCodes.contains(reason.rawValue.uppercased()), "\(reason): \(message)")
        case .retryable(let reason):
            Issue.record("retryable: \(reason)")
        }
    }

    /// Every field that we know is what was signed.
    private func checkFields(of payload: some Encodable, against expected: [String: JSONValue]) throws {
        let read = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(payload))
        #expect(!read.isEmpty)
        for (name, value) in read {
            // Fractions of milliseconds are kept to a microsecond.
            guard case .double(let number) = value, case .double(let other) = expected[name] else {
                #expect(value == expected[name], "\(name)")
                continue
            }
            #expect(abs(number - other) < 0.001, "\(name)")
        }
    }

    private func verifier<Payload>(
        for vector: Vector, of type: Payload.Type
    ) throws -> SignedPayloadVerifier<Payload> {
        let certificates = try vector.roots().map { try Certificate(der: $0) }
        return SignedPayloadVerifier(
            bundleID: vector.condition("bundle_id") ?? "",
            environments: vector.condition("environment").map { [AppleEnvironment(rawValue: $0)] },
            roots: vector.condition("mode") == "xcode"
                ? .storeKitTesting(certificates) : TrustRoots(certificates, areTest: false))
    }
}
