import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Examining artifacts")
struct ExaminationTests {
    static let now = Date(timeIntervalSince1970: 1_780_000_000)
    static let authority = Result { try TestAuthority.make() }

    /// A monthly subscription that was bought an hour ago.
    static func purchase(signedAt date: Date = now - 3_600) -> Purchase {
        var store = SimulatedStore(bundleID: "com.example.tunes")
        return store.buy(.subscription("pro.monthly"), at: date, appAccountToken: nil)
    }

    static func examiner(xcode: ArtifactTrust.Xcode = .refused) throws -> ArtifactExaminer {
        ArtifactExaminer(trust: try ArtifactTrust(roots: [authority.get().root], xcode: xcode))
    }

    static func transaction() throws -> [UInt8] {
        Array(try authority.get().signTransaction(purchase().latest).utf8)
    }

    @Test("A transaction is verified, and its report says what was looked at and what it says")
    func transaction() throws {
        var expectations = Expectations()
        expectations.bundleID = "com.example.tunes"

        let examination = try Self.examiner().examine(try Self.transaction(), expecting: expectations, at: Self.now)
        let report = examination.report

        guard case .verified(.transaction(let payload)) = examination.verdict else {
            Issue.record("\(examination.verdict)")
            return
        }
        #expect(payload.productID == "pro.monthly")
        #expect(report.kind == .transaction && report.verdict == .verified && report.trust == .test)
        #expect(report.environment == "sandbox")
        #expect(report.checks.map(\.name) == ["structure", "chain", "signature", "metadata"])
        #expect(report.checks.allSatisfy { $0.result == .passed })
        #expect(report.fields["productId"] == .string("pro.monthly"))
        #expect(report.fields["signedDate"] == .integer(1_779_996_400_000))
    }

    @Test("What was not given to compare with is not checked, and never said to be")
    func notChecked() throws {
        let report = try Self.examiner().examine(try Self.transaction(), at: Self.now).report

        #expect(report.verdict == .verified)
        #expect(report.checks.last == .init("metadata", .notChecked))
    }

    @Test("A refusal names its step; what comes behind it was not checked; what it says is still shown")
    func refusal() throws {
        let trust = try ArtifactTrust.apple()

        let report = try ArtifactExaminer(trust: trust).examine(try Self.transaction(), at: Self.now).report

        #expect(report.verdict == .refused && report.step == .chain && report.reason == .untrustedChain)
        #expect(report.trust == nil)
        #expect(report.checks.map(\.result) == [.passed, .failed, .notChecked, .notChecked])
        #expect(report.fields["productId"] == .string("pro.monthly"))
        #expect(report.environment == "sandbox")
    }

    @Test("What is signed later than now is to be asked about again")
    func future() throws {
        let text = try Self.authority.get().signTransaction(Self.purchase(signedAt: Self.now + 3_600).latest)

        let report = try Self.examiner().examine(Array(text.utf8), at: Self.now).report

        #expect(report.verdict == .retryable && report.reason == .signedInFuture && report.message != nil)
        #expect(report.checks.last == .init("metadata", .failed))
    }

    @Test("Another kind than was asked for is named")
    func wrongKind() throws {
        let report = try Self.examiner().examine(try Self.transaction(), as: .receipt, at: Self.now).report

        #expect(report.kind == .transaction && report.verdict == .refused)
        #expect(report.step == .kind && report.reason == .malformed)
        #expect(
            report.message == "a signed transaction (JWS) where an App Store receipt (PKCS#7) is expected")
    }

    @Test("A signer that was found can be kept, and then makes no difference")
    func remembering() throws {
        let cache = ChainCache()

        let first = try Self.examiner().examine(try Self.transaction(), at: Self.now, cache: cache)
        first.remember(in: cache, at: Self.now)
        let second = try Self.examiner().examine(try Self.transaction(), at: Self.now, cache: cache)

        #expect(cache.count == 1)
        #expect(second.report == first.report)
    }

    @Test("Empty roots and no certificates of Xcode's trust nobody")
    func nobody() throws {
        let trust = try ArtifactTrust(roots: [], xcode: .only([]))

        let report = try ArtifactExaminer(trust: trust).examine(try Self.transaction(), at: Self.now).report

        #expect(report.verdict == .refused)
    }
}
