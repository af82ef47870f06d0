import Foundation
import Messages
import Synchronization
import Testing
import Tollgate

@Suite("Commands about dead letters")
struct DeadCommandTests {
    private static let time = Timestamp(clamping: 1_800_000_000_000)
    private static let service = ServiceName.receiptValidator

    private static func letter(_ number: Int, died: Timestamp) -> DeadLetterView {
        DeadLetterView(
            number: number, id: MessageID(rawValue: "m\(number)"), bucket: 0, kind: "k.v1", key: nil, reason: "r",
            step: "s", text: "t", version: "1", exchange: "e", routingKey: "k", attempts: 1, generation: 0,
            firstFailure: died, lastFailure: died, size: 0)
    }

    @Test(
        "Nothing is selected by accident, and a wrong word changes nothing",
        arguments: [
            ["replay"], ["replay", "--yes"], ["discard", "--why", "x", "--yes"], ["discard", "--all"], ["edit"],
            ["replay", "--all", "--ramp", "5,1"], ["replay", "--all", "--stop-at", "10"], ["list", "--straight"],
            ["replay", "--preview", "p", "--reason", "r"],
            ["export", "--straight", "--service", "event-ingest", "--kind", "k"],
            ["discard", "--all", "--why", String(repeating: "w", count: 5000)],
            ["list", "--discarded", "--service", "event-ingest", "--straight"], ["list", "--since", "yesterday"],
            ["import"], ["show"], ["forget", "--all", "--yes"], ["forget", "--why", "x", "--yes"],
            ["forget", "--why", String(repeating: "w", count: 5000), "--all"],
        ])
    func usage(words: [String]) async throws {
        let installation = FakeInstallation()
        let ending = try await installation.answering(Self.service) { _, _ in
            nil
        } while: {
            await Tool(
                in: Surroundings(environment: ["TOLLGATE_BROKER": "amqp://tollgate:secret@localhost"]) {
                    [broker = installation.broker] _ in (broker, nil)
                }
            ).run(
                ["dead"] + words
                    + ["--service", "receipt-validator"].filter { _ in words[0] == "list" && words.last != "--straight"
                    })
        }
        #expect(ending.status == .usage, "\(ending)")
        #expect(installation.messages.isEmpty)
    }

    /// Answers for one partition that has these letters, the newest first, and tells as many at a time.
    private static func answers(_ letters: [DeadLetterView], atOnce most: Int) -> FakeInstallation.Answers {
        { kind, body in
            switch kind {
            case AuditPageGet.kind: return Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
            case DeadPageGet.kind:
                guard let get = try? MessageJSON.decode(DeadPageGet.self, from: body), !get.filter.isDiscarded else {
                    return Answer.applied(DeadPageGet.Value(letters: [], next: nil))
                }
                let meant = letters.filter { $0.number < get.before ?? .max }
                let told = Array(meant.prefix(min(get.limit, most)))
                return Answer.applied(
                    DeadPageGet.Value(letters: told, next: told.count < meant.count ? told.last?.number : nil))
            default: return nil
            }
        }
    }

    @Test("A page that a partition ends early, for its letters are large, is gone on with")
    func shortPages() async throws {
        let installation = FakeInstallation()
        let letters = (1...9).reversed().map { Self.letter($0, died: Self.time + .seconds($0)) }
        func names(_ words: String...) async throws -> String {
            try await installation.answering(Self.service, by: Self.answers(letters, atOnce: 2)) {
                await installation.tool(["dead", "list", "--service", "receipt-validator"] + words).output
            }
        }
        let all = (1...9).reversed().map { "receipt-validator.0/\($0)" }
        #expect(try await names("--names") == all.joined(separator: "\n"))
        #expect(try await names("--names", "--limit", "5") == all.prefix(5).joined(separator: "\n"))
        #expect(try await names("--limit", "5").hasSuffix("more: --after receipt-validator.0/5"))
        #expect(try await names("--limit", "9").contains("more:") == false)
    }

    @Test("Of two letters under one id none is taken for the one that is meant, however large they are")
    func ambiguous() async throws {
        let installation = FakeInstallation()
        let letters = [2, 1].map { Self.letter($0, died: Self.time) }
        @Sendable func ending(_ services: ArraySlice<ServiceName>) async throws -> Tool.Ending {
            guard let service = services.first else { return await installation.tool("dead", "show", "m") }
            let own = service == Self.service ? letters : []
            return try await installation.answering(service, by: Self.answers(own, atOnce: 1)) {
                try await ending(services.dropFirst())
            }
        }
        let ending = try await ending(ServiceName.all[...])
        #expect(ending.status == .failed && ending.complaint.contains("receipt-validator.0/2, receipt-validator.0/1"))
    }

    @Test("What a service says of a stranger's letter does not steer a terminal")
    func complaint() async throws {
        let installation = FakeInstallation()
        let refusal = Refusal("letter_unfit", "\u{1B}[31mone\u{7}\ntwo")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        var letter = Self.letter(1, died: Self.time)
        letter.properties = MessageProperties()
        letter.body = Octets([])
        struct Line: Encodable {
            var service: ServiceName
            var partition: Int
            var letter: DeadLetterView
        }
        let line = try MessageJSON.encode(Line(service: Self.service, partition: 0, letter: letter))
        // Many lines of nothing are read in no time.
        try Data([UInt8](repeating: 0x0A, count: 1_000_000) + line).write(to: file)
        let ending = try await installation.answering(Self.service) { kind, _ -> (any Encodable & Sendable)? in
            kind == AuditPageGet.kind
                ? Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
                : Answer<DeadImport.Value>.refused(refusal)
        } while: {
            await installation.tool("dead", "import", file.path)
        }
        #expect(ending.status == .failed && ending.complaint.contains("letter_unfit"), "\(ending)")
        #expect(!ending.complaint.unicodeScalars.contains("\u{1B}") && !ending.complaint.contains("\u{7}"))
    }

    @Test("Pages over several partitions show each letter once, the newest first")
    func pages() async throws {
        let installation = FakeInstallation(
            topology: Topology(
                Topology.Layout(partitions: [Self.service: try #require(PartitionCount(rawValue: 2))])))
        // Imported ones died long before their neighbours.
        let letters = [
            0: [1, 2, 3, 4, 5].map { Self.letter($0, died: Self.time + .seconds($0 == 4 ? -100 : $0 * 10)) },
            1: [1, 2, 3, 4].map { Self.letter($0, died: Self.time + .seconds($0 * 11)) },
        ]
        @Sendable func answers(_ partition: Int) -> FakeInstallation.Answers {
            { kind, body in
                if kind == AuditPageGet.kind {
                    return Answer.applied(AuditPageGet.Value(partitions: 2, entries: [], next: nil))
                }
                guard kind == DeadPageGet.kind, let get = try? MessageJSON.decode(DeadPageGet.self, from: body) else {
                    return nil
                }
                let meant = (letters[partition] ?? []).reversed().filter { $0.number < get.before ?? .max }
                return Answer.applied(DeadPageGet.Value(letters: Array(meant.prefix(get.limit)), next: nil))
            }
        }
        struct Page: Decodable {
            struct Entry: Decodable {
                var partition: Int
                var letter: DeadLetterView
            }
            var letters: [Entry]
            var next: String?
        }
        let seen = try await installation.answering(Self.service, 0, of: 2, by: answers(0)) {
            try await installation.answering(Self.service, 1, of: 2, by: answers(1)) {
                var seen: [String] = []
                var after: String?
                repeat {
                    let words = ["dead", "list", "--json", "--limit", "2", "--service", "receipt-validator"]
                    let ending = await Tool(
                        in: Surroundings(environment: ["TOLLGATE_BROKER": "amqp://tollgate:secret@localhost"]) {
                            [broker = installation.broker] _ in (broker, nil)
                        }
                    ).run(words + (after.map { ["--after", $0] } ?? []))
                    let page = try MessageJSON.decode(Page.self, from: Array(ending.output.utf8))
                    seen += page.letters.map { "\($0.partition)/\($0.letter.number)" }
                    after = page.next
                } while after != nil && seen.count < 20
                return seen
            }
        }
        #expect(seen.first == "0/5")
        #expect(seen.sorted() == ["0/1", "0/2", "0/3", "0/4", "0/5", "1/1", "1/2", "1/3", "1/4"])
    }

    @Test(
        "A preview that was replayed to its end is not replayed again: what became of it is said, and that it is that")
    func replayed() async throws {
        let installation = FakeInstallation()
        let failed = OutcomeCount(outcome: .failed, reason: "undecodable", count: 2, example: 1, text: "JSON: x")
        let ending = try await installation.answering(Self.service) { kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case AuditPageGet.kind: Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
            case DeadOutcomesGet.kind:
                Answer.applied(DeadOutcomesGet.Value(filter: LetterFilter(), outcomes: [failed]))
            case DeadFreeze.kind: Answer.applied(DeadFreeze.Value(count: 2, guarded: 0))
            default: nil
            }
        } while: {
            await installation.tool(
                "dead", "replay", "--preview", "p", "--yes", "--ramp", "50,100", "--service", "receipt-validator")
        }
        #expect(ending.status == .failed && !installation.messages.contains { $0.kind == DeadReplay.kind })
        #expect(ending.output.hasPrefix("nothing of it is left to be replayed"), "\(ending)")
        #expect(ending.output.contains("2  failed again"))
    }

    @Test("Where a replay does not come to its end, the command that goes on means the same")
    func goOn() async throws {
        let installation = FakeInstallation()
        let ending = try await installation.answering(Self.service) { kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case AuditPageGet.kind: Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
            case DeadOutcomesGet.kind:
                Answer.applied(
                    DeadOutcomesGet.Value(
                        filter: LetterFilter(),
                        outcomes: [OutcomeCount(outcome: .frozen, reason: nil, count: 2, example: 1, text: nil)]))
            case DeadFreeze.kind: Answer.applied(DeadFreeze.Value(count: 2, guarded: 0))
            default: Answer<DeadReplay.Value>.failed(Refusal("store_unavailable", "The store takes nothing now"))
            }
        } while: {
            await installation.tool(
                "dead", "replay", "--preview", "p", "--yes", "--ramp", "50,100", "--rate", "5", "--as-new", "--force",
                "--patience", "0s", "--service", "receipt-validator")
        }
        let words = "dead replay --preview p --yes --ramp 50,100 --stop-at 10% --rate 5/s --as-new --force"
        #expect(ending.status == .unavailable && ending.complaint.contains(words), "\(ending)")
    }

    @Test("A preview tries what its options say, and names them beside itself")
    func asNew() async throws {
        let installation = FakeInstallation()
        let told = OutcomeCount(outcome: .applied, reason: nil, count: 1, example: 1, text: nil)
        let ending = try await installation.answering(Self.service) { kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case AuditPageGet.kind: Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
            case DeadFreeze.kind: Answer.applied(DeadFreeze.Value(count: 1, guarded: 0))
            default: Answer.applied(DeadForetell.Value(outcomes: [told], next: nil))
            }
        } while: {
            await installation.tool("dead", "replay", "x", "--as-new", "--service", "receipt-validator")
        }
        let tried = try #require(installation.messages.last { $0.kind == DeadForetell.kind })
        #expect(try MessageJSON.decode(DeadForetell.self, from: tried.body).isAsNew == true)
        #expect(ending.output.hasSuffix(" --yes --as-new"), "\(ending)")
    }

    @Test("A partition whose store takes nothing now is named, and trying again may help")
    func fullDisk() async throws {
        let installation = FakeInstallation()
        let fault = Refusal("store_unavailable", "The store takes nothing now")
        let ending = try await installation.answering(Self.service) { kind, _ -> (any Encodable & Sendable)? in
            kind == AuditPageGet.kind
                ? Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
                : Answer<DeadFreeze.Value>.failed(fault)
        } while: {
            await installation.tool(
                "dead", "discard", "--why", "w", "--service", "receipt-validator", "--yes", "--timeout", "1s")
        }
        #expect(ending.status == .unavailable && ending.complaint.contains("receipt-validator.0: The store takes"))
    }

    @Test("A service that does not answer is named, and the others are shown")
    func silent() async throws {
        let installation = FakeInstallation()
        let answers: FakeInstallation.Answers = { kind, _ in
            kind == AuditPageGet.kind
                ? Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
                : kind == DeadGroupsGet.kind ? Answer.applied(DeadGroupsGet.Value(partitions: 1)) : nil
        }
        let others = ServiceName.all.filter { $0 != .attestGateway }
        let ending = try await installation.answering(others[...], by: { _ in answers }) {
            await installation.tool("dead", "groups", "--timeout", "200ms")
        }
        #expect(ending.status == .success)
        #expect(ending.output.contains("no dead letters") && ending.output.contains("attest-gateway does not answer"))
    }
}
