import Foundation
import Messages
import Messaging
import Synchronization
import Testing
import TestSupport

@testable import Tollgate

@Suite("Artifacts, as the operator sees them")
struct ArtifactsTests {
    /// Two partitions of receipt-validator that keep some artifacts, every third of which would turn.
    private final class Keepers: Sendable {
        let turned = Mutex<[ArtifactDigest]>([])
        let questions = Mutex<[ArtifactsPage]>([])
        let breaksAt: String?

        init(breaksAt: String? = nil) { self.breaksAt = breaksAt }

        static func artifact(_ partition: Int, _ number: Int) -> KeptArtifact {
            KeptArtifact(
                organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
                digest: ArtifactDigest(rawValue: "\(partition)-\(number)"), artifactKind: .transaction,
                receivedAt: CommandTests.time, judgedAt: CommandTests.time, ruleset: 2, revision: 0,
                verdict: .init(outcome: "verified", facts: 1),
                anew: number % 3 == 0 ? .init(outcome: "refused", step: "chain", reason: "untrusted_chain") : nil)
        }

        func answer(_ partition: Int, _ kind: MessageKind, _ body: [UInt8]) -> (any Encodable & Sendable)? {
            switch kind {
            case PartitionReportGet.kind:
                return Answer.applied(FakeInstallation.report(.receiptValidator, partition, of: 2))
            case ArtifactsPage.kind:
                guard let page = try? MessageJSON.decode(ArtifactsPage.self, from: body) else { return nil }
                questions.withLock { $0.append(page) }
                if page.after == breaksAt, breaksAt != nil {
                    return Answer<ArtifactsPage.Value>.failed(Refusal("failed", "the disk is gone"))
                }
                let start = page.after.flatMap { Int($0.split(separator: "/")[1]) } ?? 0
                let numbers = start..<start + 4
                let kept = numbers.map { Self.artifact(partition, $0) }.filter { !page.onlyTurning || $0.anew != nil }
                return Answer.applied(
                    ArtifactsPage.Value(artifacts: kept, looked: 4, next: start < 8 ? "acme/\(start + 4)" : nil))
            case ArtifactReverify.kind:
                guard let command = try? MessageJSON.decode(ArtifactReverify.self, from: body) else { return nil }
                turned.withLock { $0.append(command.digest) }
                var kept = Self.artifact(partition, 0)
                kept.digest = command.digest
                kept.revision = 1
                kept.verdict = .init(outcome: "refused", step: "chain", reason: "untrusted_chain")
                return Answer.applied(kept)
            default: return nil
            }
        }

        func tool(_ words: String...) async throws -> Tool.Ending {
            let two = PartitionCount(rawValue: 2) ?? .one
            let installation = FakeInstallation(
                topology: Topology(Topology.Layout(partitions: [.receiptValidator: two])))
            return try await installation.answering(.receiptValidator, 0, of: 2) {
                self.answer(0, $0, $1)
            } while: {
                try await installation.answering(.receiptValidator, 1, of: 2) {
                    self.answer(1, $0, $1)
                } while: {
                    let surroundings = Surroundings(
                        environment: ["TOLLGATE_BROKER": "amqp://tollgate:secret@localhost"]
                    ) { _ in (installation.broker, nil) }
                    return await Tool(in: surroundings).run(words)
                }
            }
        }
    }

    @Test("Without --yes it is only said what would turn, over all partitions and pages")
    func dryRun() async throws {
        let keepers = Keepers()

        let ending = try await keepers.tool("artifacts", "reverify", "--kind", "transaction", "--rate", "100000")

        #expect(ending.status == .success)
        #expect(
            ending.output == """
                8 transaction: verified, 1 fact -> refused at chain: untrusted_chain, such as 0-0
                looked at 24; 8 verdicts would turn; nothing was changed, --yes does it
                """)
        #expect(keepers.turned.withLock { $0 } == [])
        #expect(keepers.questions.withLock { $0.allSatisfy { $0.artifactKind == .transaction && $0.onlyTurning } })
    }

    @Test("With --yes exactly those turn")
    func yes() async throws {
        let keepers = Keepers()

        let ending = try await keepers.tool("artifacts", "reverify", "--yes", "--json", "--rate", "100000")

        #expect(ending.output.contains(#""count":8"#))
        #expect(ending.output.contains(#""isDone":true"#))
        let expected = (0..<2).flatMap { partition in [0, 3, 6, 9].map { "\(partition)-\($0)" } }
        #expect(keepers.turned.withLock { $0.map(\.rawValue) }.sorted() == expected)
    }

    @Test("A walk that is stopped says how to go on, and goes on there")
    func resumed() async throws {
        let broken = Keepers(breaksAt: "acme/8")

        let stopped = try await broken.tool("artifacts", "reverify", "--rate", "100000")

        #expect(stopped.status == .unavailable)
        #expect(stopped.complaint.contains("the disk is gone"))
        #expect(stopped.complaint.contains("--from 0:acme/8 goes on"))
        let resumed = try await Keepers().tool("artifacts", "reverify", "--from", "0:acme/8", "--rate", "100000")
        #expect(resumed.output.contains("looked at 16"))
    }

    @Test("What is kept is listed, as many as are asked for")
    func list() async throws {
        let keepers = Keepers()

        let ending = try await keepers.tool("artifacts", "list", "--limit", "5")

        let lines = ending.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(
            lines[0].hasPrefix("0-0 acme/com.example.tunes transaction: verified, 1 fact, received 2027-01-15T08:00:00")
        )
        #expect(ending.complaint.contains("there may be more"))
        #expect(keepers.questions.withLock { $0.count } == 2)
    }

    @Test(
        "A filter that means nothing is refused before anybody is asked",
        arguments: [
            ["--digest", "abc"], ["--kind", "coupon"], ["--rate", "0"], ["--from", "x"], ["--from", "64:a"],
        ])
    func wrong(words: [String]) async throws {
        let ending = await Tool(in: Surroundings(environment: [:])).run(["artifacts", "reverify"] + words)

        #expect(ending.status == .usage)
        #expect(ending.complaint.contains(words[0]))
    }
}
