import Crypto
import Foundation
import JSON
import StoreArtifacts
import TestSupport
import Testing

@Suite("Receipt vectors", .enabled(if: Vectors.areThere, "no vectors here: set TOLLGATE_VECTORS"))
struct ReceiptVectorTests {
    static let receipts = Vectors.entries(ofKinds: ["pkcs7-receipt"])

    @Test("Receipts have the verdicts and fields of the manifest", arguments: receipts)
    func verdicts(vector: Vector) throws {
        let certificateDate = try vector.date("at")

        let verdict = try Self.verifier(for: vector).verify(
            vector.bytes(), at: .distantFuture, certificateDate: certificateDate
        ).verdict

        try check(verdict, vector)
    }

    @Test("The certificates of a valid one were so when it was made", arguments: receipts)
    func ownDate(vector: Vector) throws {
        guard vector.expect.outcome == "valid" else { return }

        try check(Self.verifier(for: vector).verify(vector.bytes(), at: .distantFuture).verdict, vector)
    }

    @Test("Checks side by side come to the same, and so does whoever is in the cache", arguments: receipts)
    func otherForms(vector: Vector) async throws {
        let cache = ChainCache()
        for genuine in Self.receipts where genuine.expect.outcome == "valid" {
            let chains = try Self.verifier(for: genuine).verify(genuine.bytes(), at: .distantFuture).chains
            for chain in chains { cache.remember(chain, at: .distantPast) }
        }
        #expect(cache.count > 3)
        let (verifier, bytes) = (try Self.verifier(for: vector), try vector.bytes())
        let certificateDate = try vector.date("at")

        let blocking = try verifier.verify(bytes, at: .distantFuture, certificateDate: certificateDate)
        let cached = try verifier.verify(bytes, at: .distantFuture, certificateDate: certificateDate, cache: cache)
        let concurrent = try await verifier.verifyConcurrently(
            bytes, at: .distantFuture, certificateDate: certificateDate, cache: cache)

        #expect(Self.summary(cached) == Self.summary(blocking))
        #expect(Self.summary(concurrent) == Self.summary(blocking))
    }

    @Test("The root that is shipped is the one that is published")
    func shippedRoot() throws {
        let published = try Vectors.file("certs/AppleIncRootCertificate.cer")

        #expect(try TrustRoots.appleReceipts().certificates.map(\.der) == [published])
    }

    private func check(_ verdict: Verdict<SignedReceipt>, _ vector: Vector) throws {
        switch verdict {
        case .verified(let receipt):
            #expect(vector.expect.outcome == "valid")
            let fields = receipt.fields(device: vector.device)
            for expected in [vector.expect.fields, try vector.expect.allFields()] {
                for (name, value) in try #require(expected) { #expect(fields[name] == value, "\(name)") }
            }
        case .refused(_, let reason, let message):
            #expect(vector.expect.outcome == "invalid", "\(message)")
            #expect(vector.expect.reasonCodes.contains(reason.rawValue.uppercased()), "\(reason): \(message)")
        case .retryable(let reason):
            Issue.record("retryable: \(reason)")
        }
    }

    /// What two ways of verifying have to have in common.
    struct Summary: Equatable {
        var receipt: Receipt?
        var words: String
    }

    static func summary(_ verification: Verification<SignedReceipt>) -> Summary {
        switch verification.verdict {
        case .verified(let receipt): Summary(receipt: receipt.receipt, words: "verified")
        case .refused(let step, let reason, let message):
            // Of a chain that is known it is told that it has run out, not which certificate has.
            Summary(words: "\(step.rawValue) \(reason.rawValue) \(reason == .certificateExpired ? "" : message)")
        case .retryable(let reason): Summary(words: reason.rawValue)
        }
    }

    static func verifier(for vector: Vector) throws -> ReceiptVerifier {
        let certificates = try vector.roots().map { try Certificate(der: $0) }
        let demandsIntermediateMarker = vector.condition("intermediate_oid") != nil
        return ReceiptVerifier(
            bundleID: vector.condition("bundle_id"),
            environments: vector.condition("environment").map { [AppleEnvironment(rawValue: $0.capitalized)] },
            device: vector.device,
            roots: vector.condition("environment") == "xcode"
                ? .storeKitTesting(certificates) : TrustRoots(certificates, areTest: !demandsIntermediateMarker),
            demandsIntermediateMarker: demandsIntermediateMarker)
    }
}

extension Vector {
    fileprivate var device: DeviceIdentifier? { condition("device_guid_hex").flatMap { DeviceIdentifier($0) } }

    fileprivate func date(_ name: String) throws -> Date? {
        try condition(name).map { try Date($0, strategy: .iso8601) }
    }
}
