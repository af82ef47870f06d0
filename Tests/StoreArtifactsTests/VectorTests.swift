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

    @Test("Downloads have", arguments: Vectors.entries(ofKinds: ["jws-apptransaction"]))
    func appTransactions(vector: Vector) throws {
        try check(vector, as: AppTransactionPayload.self)
    }

    @Test("Notifications have, and so has what they carry", arguments: Vectors.entries(ofKinds: ["jws-notification"]))
    func notifications(vector: Vector) throws {
        let verifier = NotificationVerifier(
            bundleID: vector.condition("bundle_id"),
            environments: vector.condition("environment").map { [AppleEnvironment(rawValue: $0)] },
            appAppleID: vector.number("app_apple_id"),
            roots: TrustRoots(try vector.roots().map { try Certificate(der: $0) }, areTest: false))

        let verdict = try verifier.verify(vector.bytes(), at: .distantFuture).verdict

        guard let notification = check(verdict, against: vector) else { return }
        try checkDigest(of: notification.payload, against: vector)
        guard case .object(var expected) = vector.expect.fields?["payload"] else { return }
        var fields = notification.fields
        for name in ["signedTransactionInfo", "signedRenewalInfo"] {
            #expect(fields.removeValue(forKey: name) == vector.expect.fields?[name])
            // The manifest leaves out the signed texts themselves.
            expected["data"]?.remove(name)
            fields["data"]?.remove(name)
        }
        #expect(fields == expected)
    }

    @Test("Purchases have, with the key that comes with them", arguments: Vectors.entries(ofKinds: ["rsa-purchase"]))
    func purchases(vector: Vector) throws {
        let verifier = SignedPurchaseVerifier(
            keys: [], believesOwnKey: true, packageName: vector.condition("package_name"))

        let verdict = try verifier.verify(vector.bytes(), at: .distantFuture)

        guard let purchase = check(verdict, against: vector) else { return }
        #expect(purchase.fields == vector.expect.fields)
    }

    @Test("Of the genuine purchases those have a key as an app's has to be", .enabled(if: Vectors.areThere))
    func purchasesByAppKeys() throws {
        let verified = try Vectors.entries(ofKinds: ["rsa-purchase"]).filter { vector in
            let envelope = try JSONDecoder().decode([String: String].self, from: Data(vector.bytes()))
            let key = try #require(envelope["public_key"].map { KeyText.decode($0) ?? [] })
            return try SignedPurchaseVerifier(keys: [key]).verify(vector.bytes(), at: .distantFuture).isVerified
        }

        #expect(
            verified.map(\.id).sorted() == ["rsa-appcoins-shaped", "rsa-google-topdox", "rsa-neg-google-wrong-package"])
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

        guard let payload = check(verdict, against: vector) else { return }
        try checkDigest(of: payload, against: vector)
        guard case .object(let expected) = vector.expect.fields?["payload"] else { return }
        #expect(payload.fields == expected)
        try checkFields(of: payload, against: expected)
    }

    /// What was verified, if that is right.
    private func check<Value>(_ verdict: Verdict<Value>, against vector: Vector) -> Value? {
        switch verdict {
        case .verified(let value):
            #expect(vector.expect.outcome == "valid")
            return value
        case .refused(_, let reason, let message):
            #expect(vector.expect.outcome == "invalid", "\(message)")
            #expect(vector.expect.reasonCodes.contains(reason.rawValue.uppercased()), "\(reason): \(message)")
        case .retryable(let reason):
            Issue.record("retryable: \(reason)")
        }
        return nil
    }

    /// All that was signed is what the manifest has the digest of: its members in order, without spaces.
    private func checkDigest(of payload: some SignedPayload, against vector: Vector) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(payload.signedJSON))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let digest = Digest.sha256(Array(try encoder.encode(value))).hexadecimal
        #expect(vector.expect.fields?["payload_sha256"] == .string(digest))
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
            appAppleID: vector.number("app_apple_id"),
            roots: vector.condition("mode") == "xcode"
                ? .storeKitTesting(certificates) : TrustRoots(certificates, areTest: false))
    }
}

extension JSONValue {
    /// Takes a member out of an object.
    fileprivate mutating func remove(_ name: String) {
        guard case .object(var members) = self else { return }
        members[name] = nil
        self = .object(members)
    }
}
