import Crypto
import Foundation
import JSON
import StoreArtifacts
import TestSupport
import Testing

@Suite("App Attest vectors", .enabled(if: Vectors.areThere, "no vectors here: set TOLLGATE_VECTORS"))
struct AttestVectorTests {
    @Test(
        "Attestations have the verdicts and fields of the manifest",
        arguments: Vectors.entries(ofKinds: ["appattest-attestation"]))
    func attestations(vector: Vector) throws {
        let verdict = try Self.verify(attestation: vector).verdict

        try Self.check(verdict, of: vector) { $0.attestation.fields }
    }

    @Test("Assertions have them", arguments: Vectors.entries(ofKinds: ["appattest-assertion"]))
    func assertions(vector: Vector) throws {
        let verifier = AssertionVerifier(appID: vector.condition("app_id"))

        let verdict = try verifier.verify(
            vector.bytes(), publicKey: vector.data("public_key_x963_b64"), clientData: vector.clientData,
            lastCounter: UInt32(vector.number("last_counter") ?? 0))

        try Self.check(verdict, of: vector) { $0.fields }
    }

    @Test("App Attest receipts have them", arguments: Vectors.entries(ofKinds: ["appattest-receipt"]))
    func receipts(vector: Vector) throws {
        let verdict = try Self.verify(receipt: vector).verdict

        try Self.check(verdict, of: vector) { $0.fields }
    }

    @Test("A receipt whose signer is known has the same verdict")
    func knownSigners() throws {
        let cache = ChainCache()
        let vectors = Vectors.entries(ofKinds: ["appattest-receipt"])
        for vector in vectors {
            for chain in try Self.verify(receipt: vector).chains { cache.remember(chain, at: .distantPast) }
        }
        #expect(cache.count > 0)

        for vector in vectors {
            let verification = try Self.verify(receipt: vector, cache: cache)
            #expect(verification.chains.isEmpty)
            try Self.check(verification.verdict, of: vector) { $0.fields }
        }
    }

    @Test("An attestation whose authority is known has the same verdict")
    func knownAuthorities() throws {
        let cache = ChainCache()
        let vectors = Vectors.entries(ofKinds: ["appattest-attestation"])
        for vector in vectors {
            for chain in try Self.verify(attestation: vector).chains { cache.remember(chain, at: .distantPast) }
        }
        #expect(cache.count > 1)

        for vector in vectors {
            let verification = try Self.verify(attestation: vector, cache: cache)
            #expect(verification.chains.isEmpty)
            try Self.check(verification.verdict, of: vector) { $0.attestation.fields }
        }
    }

    @Test("A genuine attestation with another's genuine receipt in it is verified, the receipt is refused")
    func foreignReceipt() throws {
        let vector = try #require(
            Vectors.entries(ofKinds: ["appattest-attestation"]).first { $0.id == "att-drv-receipt-of-other" })

        guard case .verified(let verified) = try Self.verify(attestation: vector).verdict,
            case .refused(let step, let reason, _) = verified.receipt
        else {
            Issue.record("not as it should be")
            return
        }

        #expect(step == .publicKey)
        #expect(reason == .keyIDMismatch)
    }

    @Test("Receipts in genuine attestations are verified on their own, but for those that Apple has signed wrongly")
    func embeddedReceipts() throws {
        let genuine = Vectors.entries(ofKinds: ["appattest-attestation"]).filter { vector in
            vector.expect.outcome == "valid" && !vector.id.contains("drv")
        }
        #expect(!genuine.isEmpty)
        for vector in genuine {
            guard case .verified(let verified) = try Self.verify(attestation: vector).verdict else {
                Issue.record("\(vector) is not verified")
                continue
            }
            switch verified.receipt {
            case .verified(let receipt):
                #expect(receipt.appID == vector.condition("app_id"))
                #expect(receipt.type == "ATTEST")
            case .refused(let step, let reason, let message):
                Issue.record("\(vector): \(step.rawValue), \(reason.rawValue), \(message)")
            case .retryable(let reason):
                Issue.record("\(vector): \(reason.rawValue)")
            }
        }
    }

    @Test("The root that is shipped is the one that is published")
    func shippedRoot() throws {
        let published = try Certificate(
            pem: String(decoding: Vectors.file("certs/Apple_App_Attestation_Root_CA.pem"), as: UTF8.self))

        #expect(try TrustRoots.appleAppAttestation().certificates.map(\.der) == [published.der])
    }

    private static func verify(
        attestation vector: Vector, cache: ChainCache? = nil
    ) throws -> Verification<VerifiedAttestation> {
        let environment = try #require(vector.condition("environment").flatMap(AttestedEnvironment.init))
        let verifier = AttestationVerifier(
            appID: vector.condition("app_id"), environments: [environment], roots: try vector.trustRoots(),
            receiptRoots: try .apple())
        return try verifier.verify(
            vector.bytes(), keyID: vector.data("key_id"), clientData: vector.clientData, at: vector.date, cache: cache)
    }

    private static func verify(
        receipt vector: Vector, cache: ChainCache? = nil
    ) throws -> Verification<AttestationReceipt> {
        // Every entry demands the marker that the verifier always demands.
        #expect(vector.condition("leaf_oid") == "1.2.840.113635.100.12.15")
        let verifier = AttestationReceiptVerifier(appID: vector.condition("app_id"), roots: try vector.trustRoots())
        return try verifier.verify(
            vector.bytes(), publicKey: vector.data("public_key_x963_b64"),
            maximumAge: vector.number("max_age_s").map(TimeInterval.init), at: vector.date, cache: cache)
    }

    private static func check<Value>(
        _ verdict: Verdict<Value>, of vector: Vector, _ fields: (Value) -> [String: JSONValue]
    ) throws {
        switch verdict {
        case .verified(let value):
            #expect(vector.expect.outcome == "valid")
            let read = fields(value)
            for (name, expected) in vector.expect.fields ?? [:] where name != "chain" {
                #expect(read[name] == expected, "\(name)")
            }
        case .refused(_, let reason, let message):
            #expect(vector.expect.outcome == "invalid", "\(message)")
            #expect(vector.expect.reasonCodes.contains(reason.rawValue.uppercased()), "\(reason): \(message)")
        case .retryable(let reason):
            Issue.record("retryable: \(reason)")
        }
    }
}

extension Vector {
    /// At which the certificates have to be valid.
    var date: Date {
        get throws { try Date(#require(condition("at")), strategy: .iso8601) }
    }

    var clientData: ClientData? {
        if let text = condition("client_data_hash_hex") {
            let digits = Array(text)
            return .hash(
                stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
        }
        return data("client_data_b64").map(ClientData.bytes)
    }

    func data(_ name: String) -> [UInt8]? {
        condition(name).flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }

    func number(_ name: String) -> Int64? {
        if case .integer(let number) = verify[name] { number } else { nil }
    }

    func trustRoots() throws -> TrustRoots {
        TrustRoots(
            try roots().map { bytes in
                bytes.first == UInt8(ascii: "-")
                    ? try Certificate(pem: String(decoding: bytes, as: UTF8.self)) : try Certificate(der: bytes)
            }, areTest: false)
    }
}
