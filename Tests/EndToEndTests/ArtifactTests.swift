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

        @Test("An artifact of each kind, submitted straight onto the queue, has its verdict, and what it tells is told")
        func everyKind() async throws {
            let installation = try await Installation.start()
            try await installation.connectEverything()
            let artifacts = try ArtifactSamples(of: installation)
            let stranger = try await installation.publisher(as: .load)

            let publications = try artifacts.all.map { kind, text in
                try ArtifactSubmit(kind, text, claim: artifacts.claim(with: kind)).publication()
            }
            let outcomes = await stranger.publish(publications, deadline: .now + .seconds(20))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            let count = artifacts.all.count
            #expect(await eventually { (try? await installation.artifacts().count) == count })
            let kept = try await installation.artifacts()
            #expect(Set(kept.map(\.artifactKind)) == Set(Artifact.Kind.verifiable))
            for artifact in kept { #expect(artifact.verdict.outcome == "verified", "\(artifact)") }
            // The transaction, the receipt, the notification and the purchase are each of a chain of its own.
            for kind in [Artifact.Kind.transaction, .receipt, .notification, .purchase] {
                let user = artifacts.user(of: kind).rawValue
                let isActive = await eventually { (try? await installation.entitlement(of: user))?.active == true }
                #expect(isActive, "\(kind)")
                #expect(try await installation.entitlement(of: user)?.trust == "verified")
            }
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }

        @Test("Purchases that keys of yesterday signed are shown to turn, and unlock nothing once they have")
        func reverified() async throws {
            let installation = try await Installation.start(partitions: 4)
            try await installation.connectEverything()
            let artifacts = try ArtifactSamples(of: installation)
            let purchase = try #require(artifacts.all.first { $0.kind == .purchase })
            let user = artifacts.user(of: .purchase).rawValue
            let stranger = try await installation.publisher(as: .load)
            for (kind, text) in [purchase, artifacts.all[0]] {
                let submission = try ArtifactSubmit(kind, text, claim: artifacts.claim(with: kind)).publication()
                #expect(await stranger.publish(submission, deadline: .now + .seconds(10)) == .confirmed)
            }
            #expect(await eventually { (try? await installation.entitlement(of: user))?.active == true })
            let quiet = try await installation.succeed("artifacts", "reverify")
            #expect(quiet.output.contains("no verdict turns"), "\(quiet.output)")

            // The old key was lost: what it signed counts for nothing any more.
            let key = installation.folder.appendingPathComponent("new-key")
            try Base64.standard.encode(try PrivateKey.generate(.rsa2048).publicKey.der)
                .write(to: key, atomically: true, encoding: .utf8)
            try await installation.succeed("apps", "add", "--app", Installation.app, "--purchase-key", key.path)
            var look = ""
            let isSeen = await eventually {
                look = (try? await installation.succeed("artifacts", "reverify").output) ?? ""
                return look.contains("1 verdict would turn")
            }
            #expect(isSeen, "\(look)")
            #expect(look.contains("1 purchase: verified, 1 fact -> refused at signature: bad_signature"), "\(look)")
            #expect(try await installation.entitlement(of: user)?.active == true)

            let turned = try await installation.succeed("artifacts", "reverify", "--kind", "purchase", "--yes")

            #expect(turned.output.contains("1 verdict has turned"), "\(turned.output)")
            #expect(await eventually { (try? await installation.entitlement(of: user))?.active != true })
            let other = artifacts.user(of: artifacts.all[0].kind).rawValue
            #expect(try await installation.entitlement(of: other)?.active == true)
            #expect(try await installation.succeed("artifacts", "reverify").output.contains("no verdict turns"))
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }

        @Test("Whoever asks for a verdict gets it, of whatever kind; what is refused is told with its step")
        func asked() async throws {
            let installation = try await Installation.start()
            try await installation.connectEverything()
            let artifacts = try ArtifactSamples(of: installation)
            let answers = try await installation.asking { requester in
                var answers: [String: JSONValue] = [:]
                for (kind, text) in artifacts.all {
                    answers[kind.rawValue] = try await requester.verdict(on: text, as: .auto)
                }
                let forged = try TestAuthority.make().signTransaction(artifacts.transaction)
                answers["forged"] = try await requester.verdict(on: forged, as: .auto)
                answers["nothing"] = try await requester.verdict(on: "nothing", as: .transaction)
                // As long as an edge lets through.
                let longest = String(repeating: "A", count: 2 << 20)
                answers["longest"] = try await requester.verdict(on: longest, as: .receipt)
                return answers
            }

            for (kind, _) in artifacts.all {
                let answer = answers[kind.rawValue]
                #expect(answer?["verdict"] == .string("verified"), "\(kind): \(String(describing: answer))")
                #expect(answer?["kind"] == .string(kind.rawValue))
            }
            #expect(answers["forged"]?["reason"] == .string("untrusted_chain"))
            #expect(answers["nothing"]?["step"] == .string("structure"))
            #expect(answers["longest"]?["reason"] == .string("malformed"))
            let kept = try await installation.artifacts()
            #expect(kept.count == artifacts.all.count + 3)
            #expect(kept.filter { $0.verdict.outcome == "verified" }.count == artifacts.all.count)
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            await installation.tearDown()
        }
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
    /// Tells the registry all that artifacts of some kind are verified with.
    func connectEverything() async throws {
        let key = folder.appendingPathComponent("purchase-key")
        try Base64.standard.encode(try authority.purchaseKey.publicKey.der)
            .write(to: key, atomically: true, encoding: .utf8)
        try await succeed(
            "apps", "add", "--app", Self.app, "--team-id", ArtifactSamples.team, "--purchase-key", key.path)
        // Every partition has heard of it twice then.
        let isKnown = await eventually {
            (try? await self.applied(by: .receiptValidator)) ?? 0 >= 2 * self.partitions
        }
        #expect(isKnown)
    }

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
            login(of: .operatorTool), name: "test", logger: Logger(service: "test", least: .error))
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
