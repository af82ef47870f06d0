import Crypto
import Foundation
import JSON
import StoreArtifacts
import TestSupport
import Testing

@Suite("Examining vectors", .enabled(if: Vectors.areThere, "no vectors here: set TOLLGATE_VECTORS"))
struct ExaminationVectorTests {
    /// What each kind of the manifest is here; those without are not verified.
    static let kinds: [String: ArtifactKind] = [
        "pkcs7-receipt": .receipt, "jws-notification": .notification, "jws-transaction": .transaction,
        "jws-renewal": .renewal,
        "jws-apptransaction": .appTransaction,
        "appattest-attestation": .attestation, "appattest-assertion": .assertion,
        "appattest-receipt": .attestationReceipt, "rsa-purchase": .purchase,
    ]
    static let verifiable = Vectors.entries.filter { kinds[$0.kind] != nil }

    @Test("There are as many as the README says")
    func count() {
        #expect(Vectors.entries.count == 201)
    }

    @Test("Each has the verdict, reason and fields of the manifest", arguments: verifiable)
    func verdicts(vector: Vector) throws {
        let kind = try #require(Self.kinds[vector.kind])

        let report = try Self.examine(vector, as: kind)

        let isValid = vector.expect.outcome == "valid"
        #expect(report.verdict == (isValid ? .verified : .refused), "\(report.message ?? "")")
        if isValid {
            #expect(report.kind == kind)
            #expect(report.checks.allSatisfy { $0.result != .failed })
            try Self.compare(report.fields, vector)
        } else {
            let reason = try #require(report.reason?.rawValue.uppercased())
            #expect(vector.expect.reasonCodes.contains(reason), "\(reason): \(report.message ?? "")")
            #expect(report.trust == nil)
        }
    }

    @Test("What is valid is recognised without being told what it is", arguments: verifiable)
    func recognised(vector: Vector) throws {
        guard vector.expect.outcome == "valid" else { return }

        let report = try Self.examine(vector, as: nil)

        #expect(report.kind == Self.kinds[vector.kind])
        #expect(report.verdict == .verified, "\(report.message ?? "")")
    }

    @Test(
        "Certificates, chains without a text and receipts of iOS 6 are named",
        arguments: [
            ("certificate", ArtifactKind.certificate), ("jws-chain", .certificate), ("ios6-receipt", .iOS6Receipt),
        ])
    func named(kind: String, recognised: ArtifactKind) throws {
        let vectors = Vectors.entries(ofKinds: [kind])
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let report = try Self.examine(vector, as: nil)

            #expect(report.kind == recognised, "\(vector)")
            #expect(report.verdict == .refused && report.step == .kind && report.reason == .malformed, "\(vector)")
            try Self.compare(report.fields, vector)
        }
    }

    static func examine(_ vector: Vector, as kind: ArtifactKind?) throws -> ArtifactReport {
        let roots = try vector.roots().map { bytes in
            bytes.first == 0x30
                ? try Certificate(der: bytes) : try Certificate(pem: String(decoding: bytes, as: UTF8.self))
        }
        var trust = try ArtifactTrust(
            roots: roots, xcode: vector.condition("mode") == "xcode" ? .anybody : .only(roots))
        trust.demandsIntermediateMarker = vector.condition("intermediate_oid") != nil
        return try ArtifactExaminer(trust: trust)
            .examine(try vector.bytes(), as: kind, expecting: try expectations(vector), at: .now).report
    }

    static func expectations(_ vector: Vector) throws -> Expectations {
        func base64(_ name: String) -> [UInt8]? {
            vector.condition(name).flatMap { Data(base64Encoded: $0) }.map(Array.init)
        }
        var expectations = Expectations()
        expectations.bundleID = vector.condition("bundle_id") ?? vector.condition("package_name")
        expectations.appAppleID = vector.number("app_apple_id")
        expectations.environments = vector.condition("environment").map {
            [ArtifactEnvironment(rawValue: $0.lowercased())]
        }
        expectations.certificateDate = try vector.condition("at").map { try Date($0, strategy: .iso8601) }
        expectations.appID = vector.condition("app_id")
        expectations.keyID = base64("key_id")
        expectations.attestedKey = base64("public_key_x963_b64")
        expectations.believesOwnKey = true
        expectations.lastCounter = vector.number("last_counter").map { UInt32($0) }
        expectations.maximumAge = vector.number("max_age_s").map(Double.init)
        expectations.clientData =
            base64("client_data_b64").map(ClientData.bytes)
            ?? vector.condition("client_data_hash_hex").flatMap { [UInt8](hexadecimal: $0) }.map(ClientData.hash)
        expectations.device = vector.condition("device_guid_hex").flatMap { DeviceIdentifier($0) }
        return expectations
    }

    /// Every field of the manifest has come out as it says there. Digests of the manifest's own are left out.
    static func compare(_ fields: [String: JSONValue], _ vector: Vector) throws {
        let notOurs: Set = ["payload", "payload_sha256", "canonical_sha256", "chain", "fields"]
        var expected = (vector.expect.fields ?? [:]).filter { !notOurs.contains($0.key) }
        for nested in ["payload", "fields"] {
            if case .object(let members) = vector.expect.fields?[nested] { expected.merge(members) { $1 } }
        }
        expected.merge((try vector.expect.allFields() ?? [:]).filter { !notOurs.contains($0.key) }) { $1 }
        let wrong = expected.filter { name, value in !(fields[name].map { covers($0, value) } ?? false) }.keys
        #expect(wrong.isEmpty, "\(vector): \(wrong.map { "\($0): \(fields[$0] ?? .null)" })")
    }

    /// Whether `value` is `expected` or, of objects, has all of its members.
    private static func covers(_ value: JSONValue, _ expected: JSONValue) -> Bool {
        switch (value, expected) {
        case (.object(let members), .object(let others)):
            others.allSatisfy { name, other in members[name].map { covers($0, other) } ?? false }
        case (.array(let values), .array(let others)):
            values.count == others.count && zip(values, others).allSatisfy { covers($0, $1) }
        case (.double(let number), .double(let other)): abs(number - other) < 0.001
        case (.string, .string("<jws>")): true
        default: value == expected
        }
    }
}
