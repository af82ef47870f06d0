import AMQP
import Crypto
import Foundation
import JSON
import Messages
import Messaging
import ServiceKit
import StoreArtifacts
import StoreSimulator
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Artifacts of every kind", .serialized)
    struct ArtifactTests {
        @Test("Fifty submissions of one artifact at the same time: one look, one verdict, its facts once")
        func sameArtifact() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(1, seed: 41, signedBy: installation.authority)
            let stranger = try await installation.publisher(as: .load)
            let before = try await installation.applied(by: .entitlementResolver)

            // Each under an id of its own, and without a claim: only facts may follow.
            let publications = try (0..<50).map { _ in
                try ArtifactSubmit(.transaction, load.purchases[0].jws).publication()
            }
            let outcomes = await stranger.publish(publications, deadline: .now + .seconds(20))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            let isDone = await eventually {
                let judged = try? await installation.applied(by: .receiptValidator)
                let recorded = try? await installation.applied(by: .entitlementResolver)
                return judged ?? 0 >= 51 && recorded == before + 1
            }
            #expect(isDone)
            let validator = ServiceName.receiptValidator
            #expect(try await installation.number("tollgate_artifacts_examined_total", of: validator) == 1)
            let verdicts = #"tollgate_verdicts_total{kind="transaction",outcome="verified"}"#
            #expect(try await installation.number(verdicts, of: validator) == 1)
            #expect(try await installation.applied(by: .entitlementResolver) == before + 1)
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }

        @Test("A validator that is killed again and again judges each artifact once, whatever was asked and submitted")
        func killed() async throws {
            let installation = try await Installation.start(partitions: 4)
            let load = try PurchaseLoad(300, seed: 42, signedBy: installation.authority)
            let stranger = try await installation.publisher(as: .load)
            let forged = load.purchases.map { String($0.jws.dropLast(8)) + "AAAAAAAA" }

            for part in 0..<3 {
                let purchases = load.purchases[part * 100..<(part + 1) * 100]
                var publications = try purchases.flatMap { purchase in
                    try Array(repeating: StrangerTests.submission(of: purchase), count: 3)
                }
                publications += try forged[part * 100..<(part + 1) * 100].map {
                    try ArtifactSubmit(.auto, $0).publication()
                }
                let outcomes = await stranger.publish(publications.shuffled(), deadline: .now + .seconds(20))
                #expect(outcomes.allSatisfy { $0 == .confirmed })
                await installation.stop(.receiptValidator, SIGKILL)
                try await installation.start(.receiptValidator)
            }
            try await installation.waitUntilReady(.receiptValidator)

            try await load.expectApplied(in: installation)
            let kept = try await installation.artifacts()
            #expect(kept.filter { $0.verdict.outcome == "verified" }.count == 300)
            #expect(kept.filter { $0.verdict.reason == "bad_signature" }.count == 300)
            #expect(Set(kept.map(\.digest)).count == 600)
            #expect(kept.allSatisfy { $0.revision == 0 && $0.artifactKind == .transaction })
            await installation.tearDown()
        }

        @Test("Whoever asks for a verdict gets it, of whatever kind; what is refused is told with its step")
        func asked() async throws {
            let installation = try await Installation.start()
            let artifacts = try GenuineArtifacts(of: installation)
            let answers = try await installation.asking { requester in
                var answers: [String: JSONValue] = [:]
                for (kind, text) in artifacts.all {
                    answers[kind.rawValue] = try await requester.verdict(on: text, as: .auto)
                }
                let forged = try TestAuthority.make().signTransaction(artifacts.transaction)
                answers["forged"] = try await requester.verdict(on: forged, as: .auto)
                answers["nothing"] = try await requester.verdict(on: "nothing", as: .transaction)
                return answers
            }

            for (kind, _) in artifacts.all {
                let answer = answers[kind.rawValue]
                #expect(answer?["verdict"] == .string("verified"), "\(kind): \(String(describing: answer))")
                #expect(answer?["kind"] == .string(kind.rawValue))
            }
            #expect(answers["forged"]?["reason"] == .string("untrusted_chain"))
            #expect(answers["nothing"]?["step"] == .string("structure"))
            let kept = try await installation.artifacts()
            #expect(kept.count == artifacts.all.count + 2)
            #expect(kept.filter { $0.verdict.outcome == "verified" }.count == artifacts.all.count)
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }
    }
}

/// One genuine artifact of each kind, as a device, a store and its server would send them now.
struct GenuineArtifacts {
    let transaction: TransactionPayload
    private(set) var all: [(kind: Artifact.Kind, text: String)] = []

    init(of installation: Installation) throws {
        let authority = installation.authority
        let now = Date()
        var store = SimulatedStore(bundleID: Installation.app, environment: .production, seed: 43)
        let purchase = store.buy(Installation.product, at: now)
        transaction = purchase.latest
        all.append((.transaction, try authority.signTransaction(purchase.latest)))
        if let renewal = purchase.renewal { all.append((.renewal, try authority.signRenewal(renewal))) }
    }
}

extension ArtifactSubmit {
    init(_ kind: Artifact.Kind, _ text: String, claim: TransactionClaim? = nil) {
        self.init(
            organisation: OrganisationID(rawValue: Installation.organisation),
            app: AppID(rawValue: Installation.app), artifact: Artifact(kind: kind, text: text),
            digest: ArtifactDigest(rawValue: Digest.sha256(text.utf8).hexadecimal), claim: claim)
    }

    /// As any AMQP client would send it.
    func publication() throws -> Publication {
        let envelope = Envelope(
            kind: ArtifactSubmit.kind, id: MessageID(at: .now), body: try MessageJSON.encode(self))
        return Publication(envelope, to: .command(.receiptValidator, bucket), isMandatory: true)
    }
}

extension Installation {
    /// Everything that receipt-validator keeps, as the tool says it.
    func artifacts() async throws -> [KeptArtifact] {
        let output = try await succeed("artifacts", "list", "--limit", "10000", "--json").output
        return try MessageJSON.decode([KeptArtifact].self, from: Array(output.utf8))
    }

    /// Lends somebody who can ask for verdicts.
    func asking<Value: Sendable>(
        _ body: @Sendable (Requester) async throws -> Value
    ) async throws -> Value {
        let broker = try AMQPBroker(
            BrokerSettings(from: Settings(environment: ["TOLLGATE_BROKER": address(of: .operatorTool)])),
            name: "test", logger: Logger(service: "test", least: .error))
        let requester = Requester(user: .operatorTool, broker: broker)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await broker.run() }
            group.addTask { try await requester.run() }
            defer { group.cancelAll() }
            return try await body(requester)
        }
    }
}

extension Requester {
    /// The report on an artifact; asks again while the connection does not stand yet.
    func verdict(on text: String, as kind: Artifact.Kind) async throws -> JSONValue {
        let submission = ArtifactSubmit(kind, text)
        let question = ArtifactVerify(
            organisation: submission.organisation, app: submission.app, artifact: submission.artifact,
            digest: submission.digest)
        var answer: Answer<ArtifactVerify.Value>?
        _ = await eventually {
            answer = try? await self.request(question, within: .seconds(10))
            return answer != nil
        }
        guard case .applied(let value)? = answer else { throw TestFailure("no verdict: \(String(describing: answer))") }
        return value.report
    }
}
