import Crypto
import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import StoreArtifacts
import StoreSimulator
import TestSupport
import Testing

@testable import ReceiptValidator

@Suite("Judged anew")
struct ReverifyTests {
    /// Another root vouches for the app from now on: registries take no such change, rules may make one.
    private func replaceRoot(of store: ValidatorStore, by authority: TestAuthority, version: Int) async throws {
        let root = Base64.standard.encode(authority.root.der)
        try await store.connect(ValidatorStore.testApp, testRoots: [root], version: version)
    }

    @Test("A verdict that stands is left as it is, and nobody hears of it")
    func stands() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        try await store.submit(text)

        let (kept, outcome) = try await store.reverify(text)

        #expect(kept?.revision == 0)
        #expect(kept?.verdict == .init(outcome: "verified", facts: 1))
        #expect(outcome.published.isEmpty)
    }

    @Test("A verdict that turns takes back what it told; it may turn again, and each turn is counted")
    func turns() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        let told = try await store.submit(text).all(TransactionVerified.self)
        #expect(told.map(\.revision) == [nil])

        try await replaceRoot(of: store, by: try TestAuthority.make(), version: 2)
        let (refused, first) = try await store.reverify(text, id: "1")

        #expect(refused?.verdict == .init(outcome: "refused", step: "chain", reason: "untrusted_chain"))
        #expect(refused?.revision == 1)
        let retracted = try #require(try first.all(TransactionRetracted.self).first)
        #expect(retracted.transactionID == told[0].transaction.id)
        #expect(retracted.key == told[0].key)
        #expect(retracted.environment == told[0].transaction.environment)
        #expect(retracted.revision == 1)
        #expect(retracted.reason == "untrusted_chain")
        #expect(try first.all(ArtifactRefused.self).map(\.revision) == [1])
        #expect(try await store.submit(text, id: "5").refusal?.reason == "untrusted_chain")

        try await replaceRoot(of: store, by: store.authority, version: 3)
        let (verified, second) = try await store.reverify(text, id: "2")
        #expect(verified?.revision == 2)
        #expect(try second.all(TransactionVerified.self).map(\.revision) == [2])
        #expect(try second.all(TransactionRetracted.self).isEmpty)
        let app = Key.app(ValidatorStore.organisation, ValidatorStore.testApp)
        #expect(try await store.database.audited() == ["reverify \(app) 1", "reverify \(app) 1"])
        // The one before that has been seen already changes nothing any more.
        #expect(try await store.reverify(text, id: "3").outcome.published.isEmpty)
        let numbers = store.metrics.render()
        #expect(numbers.contains(#"tollgate_verdicts_turned_total{kind="transaction",outcome="refused"} 1"#))
        #expect(numbers.contains(#"tollgate_verdicts_turned_total{kind="transaction",outcome="verified"} 1"#))
    }

    @Test("What an artifact tells differently now is told anew, and what it tells no more is taken back")
    func toldDifferently() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        let genuine = try #require(try await store.submit(text).all(TransactionVerified.self).first)
        // As an older release would have read it.
        try await store.forge(ruleset: 1) { facts in
            facts.transactions[0].environment = .production
            facts.transactions[0].expiresAt = nil
        }

        let (kept, outcome) = try await store.reverify(text)

        #expect(kept?.ruleset == Ruleset.current)
        #expect(kept?.revision == 1)
        #expect(try outcome.all(TransactionRetracted.self).map(\.environment) == [.production])
        #expect(try outcome.all(TransactionRetracted.self).map(\.reason) == ["superseded"])
        #expect(try outcome.all(TransactionVerified.self).map(\.transaction) == [genuine.transaction])
    }

    /// What the store says will become of a month of `pro`.
    private func renewal(of store: ValidatorStore) throws -> String {
        var simulated = SimulatedStore(bundleID: ValidatorStore.testApp.rawValue)
        let purchase = simulated.buy(.subscription("pro.monthly"), at: ValidatorStore.noon.date)
        return try store.authority.signRenewal(try #require(purchase.renewal))
    }

    @Test("Renewal information is taken back too, and told again")
    func renewalTurns() async throws {
        let store = try await ValidatorStore.connected()
        let text = try renewal(of: store)
        let told = try #require(try await store.submit(text, kind: .renewal).all(RenewalVerified.self).first)

        try await replaceRoot(of: store, by: try TestAuthority.make(), version: 2)
        let first = try await store.reverify(text, kind: .renewal, id: "1").outcome
        try await replaceRoot(of: store, by: store.authority, version: 3)
        let second = try await store.reverify(text, kind: .renewal, id: "2").outcome

        let retracted = try #require(try first.all(RenewalRetracted.self).first)
        #expect(retracted.key == told.key)
        #expect(retracted.environment == told.renewal.environment)
        #expect(retracted.isTest)
        #expect(retracted.revision == 1)
        #expect(retracted.reason == "untrusted_chain")
        #expect(try first.all(TransactionRetracted.self).isEmpty)
        #expect(try second.all(RenewalRetracted.self).isEmpty)
        #expect(try second.all(RenewalVerified.self).map(\.renewal) == [told.renewal])
        #expect(try second.all(RenewalVerified.self).map(\.revision) == [2])
    }

    @Test("Renewal information of a release that told it to nobody is told again, once")
    func renewalUnheard() async throws {
        let store = try await ValidatorStore.connected()
        let text = try renewal(of: store)
        try await store.submit(text, kind: .renewal)
        try await store.forge(ruleset: 2) { _ in }

        #expect(try await store.page(onlyTurning: true)?.artifacts.count == 1)
        let first = try await store.reverify(text, kind: .renewal, id: "1").outcome
        let second = try await store.reverify(text, kind: .renewal, id: "2").outcome

        #expect(try first.all(RenewalVerified.self).map(\.revision) == [1])
        #expect(second.published.isEmpty)
        #expect(try await store.page(onlyTurning: true)?.artifacts == [])
    }

    @Test("What is not kept cannot be judged anew")
    func unknown() async throws {
        let store = try await ValidatorStore.connected()

        #expect(try await store.reverify("nothing").outcome.refusal?.reason == "artifact_unknown")
    }

    @Test("A look shows which verdicts would turn, and turns none")
    func dryRun() async throws {
        let store = try await ValidatorStore.connected()
        let genuine = try store.authority.signTransaction(store.purchase())
        try await store.submit(genuine, id: "1")
        try await store.submit("nothing", id: "2")
        #expect(try await store.page(onlyTurning: true)?.artifacts == [])
        try await replaceRoot(of: store, by: try TestAuthority.make(), version: 2)

        let page = try await store.page(onlyTurning: true)

        let turning = try #require(page?.artifacts.first)
        #expect(page?.artifacts.count == 1)
        #expect(page?.looked == 2)
        #expect(turning.digest == ArtifactDigest(of: genuine))
        #expect(turning.verdict.outcome == "verified")
        #expect(turning.anew == .init(outcome: "refused", step: "chain", reason: "untrusted_chain"))
        #expect(try await store.page()?.artifacts.allSatisfy { $0.revision == 0 && $0.anew == nil } == true)
    }

    @Test("Pages go on behind the last one, in whatever size, and show what is asked for")
    func pages() async throws {
        let store = try await ValidatorStore.connected()
        for number in 0..<7 { try await store.submit("nothing \(number)", id: "\(number)") }
        let genuine = try store.authority.signTransaction(store.purchase())
        try await store.submit(genuine, id: "7")
        try await store.submit(genuine, for: ValidatorStore.app, id: "8")

        for size in 1...10 {
            var (found, after): ([KeptArtifact], String?) = ([], nil)
            repeat {
                let page = try #require(try await store.page(after: after, pageSize: size))
                found += page.artifacts
                after = page.next
            } while after != nil
            #expect(found.count == 9)
            #expect(Set(found.map { "\($0.app) \($0.digest)" }).count == 9)
        }

        #expect(try await store.page { $0.app = ValidatorStore.app }?.artifacts.count == 1)
        #expect(try await store.page { $0.digest = ArtifactDigest(of: genuine) }?.artifacts.count == 2)
        #expect(try await store.page { $0.reason = "malformed" }?.artifacts.count == 7)
        #expect(try await store.page { $0.artifactKind = .receipt }?.artifacts == [])
        #expect(try await store.page { $0.organisation = OrganisationID(rawValue: "other") }?.looked == 0)
    }

    @Test("Verdicts of the first release are kept, told by their edition, and can be judged anew")
    func migrated() async throws {
        let folder = TemporaryFolder()
        let path = folder.url.appendingPathComponent("store.sqlite").path
        let all = ReceiptValidatorService.schema
        let identity = StoreIdentity(service: "receipt-validator")
        let old = try await Database.create(
            at: path, as: identity,
            schema: [MigrationSequence(name: all.name, migrations: Array(all.migrations.prefix(1)))],
            createdAt: Date(timeIntervalSince1970: 0))
        let transaction = StoreTransaction(
            id: TransactionID(rawValue: "2"), originalID: OriginalTransactionID(rawValue: "1"),
            product: ProductID(rawValue: "ünï\"pro"), environment: .sandbox, purchasedAt: ValidatorStore.noon,
            signedAt: ValidatorStore.noon)
        let body = try MessageJSON.encode(transaction)
        try await old.write { store in
            try store.run("INSERT INTO artifacts VALUES ('d1', 7, 'transaction', 'text', 1000)")
            try store.run(
                "INSERT INTO verdicts VALUES ('demo', 'app', 'd1', 7, 2000, 3, 1, ?, NULL, NULL, NULL)", .blob(body))
            try store.run(
                """
                INSERT INTO verdicts VALUES
                    ('demo', 'app', 'd2', 8, 2000, 3, 0, NULL, 'chain', 'untrusted_chain', 'no')
                """)
        }
        await old.close()

        let database = try await Database.open(at: path, as: identity, schema: [all])
        let page = try await database.read { try VerdictStore.page(.init(), after: nil, limit: 9, in: $0) }

        #expect(
            page.map(\.verdict) == [
                .verified(ArtifactFacts(transactions: [transaction])),
                .refused(.init(step: "chain", reason: "untrusted_chain", text: "no")),
            ])
        #expect(page.map(\.name.kind) == [.transaction, .transaction])
        #expect(page.map(\.isTest) == [true, false])
        #expect(page.map(\.ruleset) == [1, 1])
        #expect(page.map(\.revision) == [0, 0])
        #expect(page.first?.asOf == Timestamp(clamping: 2000))
        let text = try await database.read { try ArtifactStore.text(of: ArtifactDigest(rawValue: "d1"), in: $0) }
        #expect(text == "text")
    }
}

extension ValidatorStore {
    /// Writes into the only verdict what another release would have read.
    func forge(ruleset: Int, _ change: @Sendable (inout ArtifactFacts) -> Void) async throws {
        try await database.write { transaction in
            guard var kept = try VerdictStore.page(.init(), after: nil, limit: 1, in: transaction).first,
                case .verified(var facts) = kept.verdict
            else { return }
            change(&facts)
            kept.verdict = .verified(facts)
            kept.ruleset = ruleset
            try VerdictStore.record(kept, bucket: Bucket.all[0], in: transaction)
        }
    }
}
