import JSON
import Messages
import TestSupport
import Testing
import Tollgate

@Suite("The funnel, as the operator asks for it")
struct FunnelTests {
    private func run(_ words: [String], users: Int = 8) async throws -> (ending: Tool.Ending, asked: [FunnelCount]) {
        let installation = FakeInstallation()
        let steps = [
            FunnelStep(step: "plan", index: 10, declaredAt: .now),
            FunnelStep(step: "welcome", index: 2, declaredAt: .now),
        ]
        var tally = FunnelTally(
            users: users,
            stages: [
                .init(users: 8, fromBefore: 8), .init(users: 5, fromBefore: 4), .init(users: 0, fromBefore: 0),
                .init(users: 3, fromBefore: 0),
            ], refunded: 1)
        if words.contains("--by") {
            tally.answers = [
                .init(value: "annual\u{1B}[2J", users: 3, purchased: 2), .init(value: nil, users: 2, purchased: 0),
            ]
        }
        let ending = try await installation.answering(.eventIngest) { [tally] kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case PartitionReportGet.kind: Answer.applied(FakeInstallation.report(.eventIngest))
            case FunnelSteps.kind: Answer.applied(FunnelSteps.Value(steps: steps, partitions: 1))
            case FunnelCount.kind: Answer.applied(tally)
            default: nil
            }
        } while: {
            await installation.tool(["funnel", "--app", "com.example.tunes"] + words)
        }
        let asked = installation.messages.filter { $0.kind == FunnelCount.kind }.compactMap {
            try? MessageJSON.decode(FunnelCount.self, from: $0.body)
        }
        return (ending, asked)
    }

    @Test("Stages come in their order, each with its users and its shares; nobody before it is no share")
    func stages() async throws {
        let (ending, asked) = try await run([])

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(asked.map(\.steps) == [["welcome", "plan"]] && asked.map(\.environment) == [.production])
        #expect(
            ending.output == """
                com.example.tunes: 8 users
                  stage      users   of all  of the stage before
                  2 welcome      8  100.0 %                    –
                  10 plan        5   62.5 %               50.0 %
                  paywall        0    0.0 %                0.0 %
                  purchase       3   37.5 %                    –
                of those who bought something, 1 got back all that they paid
                """)
    }

    @Test("By answer it tells who bought, with no sign in it that a terminal would obey")
    func answers() async throws {
        let (ending, asked) = try await run(["--by", "answer", "plan", "--from", "2026-11-01T00:00:00Z"])

        #expect(asked.map(\.answersTo) == ["plan"] && asked.first?.from?.rfc3339 == "2026-11-01T00:00:00.000Z")
        #expect(ending.output.contains("com.example.tunes from 2026-11-01T00:00:00.000Z: 8 users"))
        #expect(ending.output.contains("answer to plan"))
        #expect(ending.output.contains("(all others)") && !ending.output.contains("\u{1B}"))
    }

    @Test("Programs get the same as JSON")
    func json() async throws {
        let (ending, _) = try await run(["--json"])

        let funnel = try MessageJSON.decode(Funnel.self, from: Array(ending.output.utf8))
        #expect(funnel.users == 8 && funnel.stages.map(\.kind) == ["step", "step", "paywall", "purchase"])
        #expect(funnel.stages[1].ofBefore == 0.5 && funnel.stages[3].ofBefore == nil && funnel.answers == nil)
    }

    @Test("By whose word is asked of everybody, and said", arguments: ["attested", "unverified", "all"])
    func trust(_ trust: String) async throws {
        let (ending, asked) = try await run(["--trust", trust])

        #expect(asked.map(\.trust) == [trust == "all" ? nil : Trust(rawValue: trust)])
        #expect(asked.map(\.indices) == [[2, 10]])
        #expect(ending.output.contains("by \(trust) callers") == (trust != "all"))
    }

    @Test("Where nobody is, it says so")
    func empty() async throws {
        #expect(try await run([], users: 0).ending.output == "nobody has come into the funnel of com.example.tunes")
    }

    @Test(
        "A step without --by answer, --by answer without a step, and a time that ends before it begins are wrong",
        arguments: [
            ["plan"], ["--by", "answer"], ["--by", "day", "plan"], ["--from", "1h", "--to", "2h"], ["--trust", "me"],
        ])
    func wrong(words: [String]) async throws {
        let (ending, asked) = try await run(words)

        #expect(ending.status == .usage && asked.isEmpty, "\(ending.complaint)")
    }

    @Test("A step that the app has not declared is told, and nothing is counted")
    func unknownStep() async throws {
        let (ending, asked) = try await run(["--by", "answer", "nonsense"])

        #expect(ending.status == .failed && asked.isEmpty)
        #expect(ending.complaint.contains("no onboarding step nonsense"))
    }
}
