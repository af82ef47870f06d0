import Crypto
import Foundation
import JSON
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import StoreArtifacts
import StoreSimulator
import Testing

@testable import ReceiptValidator

/// Many submissions of one artifact: one look, one verdict, the same answer.
@Suite("One verdict")
struct OneVerdictTests {
    private func submission(_ text: String, kind: Artifact.Kind = .transaction) -> ArtifactSubmit {
        ArtifactSubmit(
            organisation: ValidatorStore.organisation, app: ValidatorStore.testApp,
            artifact: Artifact(kind: kind, text: text), digest: ArtifactDigest(of: text))
    }

    private func context(_ id: Int) -> MessageContext {
        MessageContext(
            id: MessageID(rawValue: "\(id)"), kind: ArtifactSubmit.kind, bucket: Bucket.all[0],
            acceptedAt: ValidatorStore.noon, now: ValidatorStore.noon, author: nil)
    }

    @Test("Fifty at the same time, of one batch or of several: one look, one verdict, its facts once")
    func together() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        let handler = JudgeArtifact(judge: store.judge, measures: VerdictMeasures(in: store.metrics))
        let (message, contexts) = (submission(text), (0..<50).map { context($0) })

        // Half of them are prepared side by side and share a transaction, as in a batch; the others have their own.
        let prepared = try await withThrowingTaskGroup(of: JudgeArtifact.Prepared.self) { group in
            for context in contexts { group.addTask { try handler.prepare(message, context) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let batches = [Array(prepared.prefix(25))] + prepared.suffix(25).map { [$0] }
        var published = 0
        for batch in batches {
            published += try await store.database.write { transaction in
                var published = 0
                for (index, prepared) in batch.enumerated() {
                    let context = contexts[index]
                    var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: context.acceptedAt)
                    _ = try handler.apply(prepared, context, in: transaction, outgoing: &outgoing)
                    published += outgoing.publications.count
                }
                return published
            }
            batch.forEach { handler.committed($0) }
        }

        #expect(published == 1)
        #expect(store.looks == 1)
        #expect(try await store.verdicts() == 1)
        #expect(store.metrics.render().contains(#"tollgate_verdicts_total{kind="transaction",outcome="verified"} 1"#))
    }

    @Test("Once the verdict is on disk nobody looks again, whoever asks; until then nothing is remembered")
    func afterwards() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        let handler = JudgeArtifact(judge: store.judge, measures: VerdictMeasures(in: store.metrics))

        // Looked at, and rolled back with its batch.
        _ = try handler.prepare(submission(text), context(0))
        #expect(store.recent.counts.stored == 0)
        #expect(store.chains.count == 0)
        try await store.submit(text)
        #expect(store.looks == 2)
        #expect(store.recent.counts.stored == 1)
        try await store.submit(text, id: "2")

        #expect(store.looks == 2)
    }

    @Test("What is refused for its bytes alone is looked at once for all apps; what an app's roots decide is not")
    func refusals() async throws {
        let store = try await ValidatorStore.connected()
        let genuine = try store.authority.signTransaction(store.purchase(bundleID: ValidatorStore.app))

        for app in [ValidatorStore.testApp, ValidatorStore.app] {
            #expect(try await store.submit("no JWS", for: app, id: "a").refusal?.reason == "malformed")
        }
        #expect(store.looks == 1)
        #expect(try await store.verdicts() == 2)

        #expect(try await store.submit(genuine, id: "b").refusal?.reason == "wrong_app")
        #expect(try await store.submit(genuine, for: ValidatorStore.app, id: "c").refusal?.reason == "untrusted_chain")
        #expect(store.looks == 3)
    }

    @Test("A text handed in as the wrong kind is refused as that, and does not stand in the way of the right one")
    func wrongKind() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())

        let wrong = try await store.submit(text, kind: .receipt, id: "1")
        let right = try await store.submit(text, id: "2")
        let any = try await store.submit(text, kind: .auto, id: "3")

        #expect(wrong.refusal?.reason == "malformed")
        #expect(try wrong.all(ArtifactRefused.self).map(\.artifactKind) == [.receipt])
        #expect(try wrong.all(ArtifactRefused.self).map(\.step) == ["kind"])
        #expect(try right.all(TransactionVerified.self).count == 1)
        #expect(any.refusal == nil)
        #expect(any.published.isEmpty)
    }

    @Test("What was looked at under roots that the app has no more by the time it is stored is looked at again")
    func rootsChanged() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        let handler = JudgeArtifact(judge: store.judge, measures: VerdictMeasures(in: store.metrics))
        let (prepared, context) = (try handler.prepare(submission(text), context(0)), context(0))
        let other = Base64.standard.encode(try TestAuthority.make().root.der)
        try await store.connect(ValidatorStore.testApp, testRoots: [other], version: 2)

        let verdict = try await store.database.write { transaction in
            var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: context.acceptedAt)
            return try handler.apply(prepared, context, in: transaction, outgoing: &outgoing)
        }

        guard case .refused(let refusal) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(refusal.reason == "untrusted_chain")
    }

    @Test("A table of so many entries forgets the oldest")
    func bounded() {
        var table = BoundedTable<Int, Int>(capacity: 3)

        for number in 0..<10 {
            table.put(number, for: number)
            table.put(number, for: number)
        }

        #expect(table.count == 3)
        #expect((0..<10).compactMap { table[$0] } == [7, 8, 9])
    }

    // MARK: Asked at once

    @Test("Whoever asks gets the report, and it is kept and published as if it had been submitted")
    func asked() async throws {
        let store = try await ValidatorStore.connected()
        let purchase = store.purchase()
        let text = try store.authority.signTransaction(purchase)

        let (report, outcome) = try await store.verify(text)
        let again = try await store.verify(text, kind: .transaction, id: "again")

        #expect(report?["kind"] == .string("transaction"))
        #expect(report?["verdict"] == .string("verified"))
        #expect(report?["trust"] == .string("test"))
        #expect(report?["environment"] == .string("sandbox"))
        #expect(report?["fields"]?["productId"] == .string("pro.monthly"))
        #expect(try outcome.all(TransactionVerified.self).count == 1)
        #expect(again.report == report)
        #expect(again.outcome.published.isEmpty)
        #expect(try await store.verdicts() == 1)
    }

    @Test("Who asks about what was submitted before gets its report, and it is not stored or published again")
    func askedLater() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        try await store.submit(text)

        let (report, outcome) = try await store.verify(text)

        #expect(report?["verdict"] == .string("verified"))
        #expect(report?["checks"] != .array([]))
        #expect(outcome.published.isEmpty)
        #expect(try await store.verdicts() == 1)
    }

    @Test("A verdict that would turn stands until it is judged anew, and is what whoever asks is told")
    func askedInBetween() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        let forged = try TestAuthority.make()
        let other = try forged.signTransaction(store.purchase())
        try await store.submit(text, id: "1")
        try await store.submit(other, id: "2")
        let root = Base64.standard.encode(forged.root.der)
        try await store.connect(ValidatorStore.testApp, testRoots: [root], version: 2)

        let verified = try await store.verify(text, id: "3").report
        let refused = try await store.verify(other, id: "4").report

        #expect(verified?["verdict"] == .string("verified"))
        #expect(verified?["reason"] == .null)
        #expect(verified?["checks"] == .array([]))
        #expect(refused?["verdict"] == .string("refused"))
        #expect(refused?["reason"] == .string("untrusted_chain"))
        #expect(refused?["trust"] == .null)
    }

    @Test("A refusal is an answer too")
    func askedRefused() async throws {
        let store = try await ValidatorStore.connected()
        let text = try TestAuthority.make().signTransaction(store.purchase())

        let (report, outcome) = try await store.verify(text)

        #expect(report?["verdict"] == .string("refused"))
        #expect(report?["step"] == .string("chain"))
        #expect(report?["reason"] == .string("untrusted_chain"))
        #expect(outcome.refusal == nil)
        #expect(try outcome.all(ArtifactRefused.self).count == 1)
    }

    @Test("What is signed ahead of this clock is not to be used yet: the answer says so, and nothing is kept")
    func askedEarly() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())

        let (report, outcome) = try await store.verify(text, at: ValidatorStore.noon - .seconds(3600))

        #expect(report?["verdict"] == .string("retryable"))
        #expect(report?["reason"] == .string("signed_in_future"))
        #expect(outcome.published.isEmpty)
        #expect(try await store.verdicts() == 0)
        #expect(store.chains.count == 0)
        #expect(try await store.verify(text).report?["verdict"] == .string("verified"))
    }

    @Test("What is genuine and still tells nothing is refused in the report as well")
    func askedIncomplete() async throws {
        let store = try await ValidatorStore.connected()
        var purchase = store.purchase()
        purchase.originalTransactionID = nil

        let report = try await store.verify(try store.authority.signTransaction(purchase), kind: .transaction).report

        #expect(report?["verdict"] == .string("refused"))
        #expect(report?["reason"] == .string("incomplete"))
        #expect(report?["trust"] == .null)
    }
}
