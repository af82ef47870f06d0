import Messages
import TestSupport
import Testing

@testable import Tollgate

@Suite("Results of experiments, as the operator asks for them")
struct ExperimentsResultsTests {
    private func run(
        _ words: [String], experiments: [Experiment] = [ExperimentJudgementTests.experiment([1, 1])]
    ) async throws -> (ending: Tool.Ending, asked: [ExperimentTallyGet]) {
        let installation = FakeInstallation()
        let tally = ExperimentTally(counts: [
            ExperimentJudgementTests.count(ExperimentJudgementTests.a, 5_000, 250),
            ExperimentJudgementTests.count(ExperimentJudgementTests.b, 5_000, 500),
        ])
        let tunes = AppRecord(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"), version: 1,
            changedAt: .now)
        let ending = try await installation.answering(.paywallExperiments) {
            kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case PartitionReportGet.kind: Answer.applied(FakeInstallation.report(.paywallExperiments))
            case ExperimentList.kind: Answer.applied(ExperimentList.Value(experiments: experiments))
            case ExperimentTallyGet.kind: Answer.applied(tally)
            default: nil
            }
        } while: {
            try await installation.answering(.attestGateway) { kind, _ -> (any Encodable & Sendable)? in
                kind == RegistrySnapshot.kind
                    ? Answer.applied(RegistrySnapshot.Value(version: 1, apps: [tunes], keys: [])) : nil
            } while: {
                await installation.tool(["experiments", "results", "--app", "com.example.tunes"] + words)
            }
        }
        let asked = installation.messages.filter { $0.kind == ExperimentTallyGet.kind }
            .compactMap { try? MessageJSON.decode(ExperimentTallyGet.self, from: $0.body) }
        return (ending, asked)
    }

    @Test("The partitions are asked under the experiment's own window, and what they say is judged")
    func results() async throws {
        let (ending, asked) = try await run(["e-1"])

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(asked.map(\.windowMilliseconds) == [7 * 86_400_000])
        #expect(asked.map(\.experiment.rawValue) == ["e-1"])
        #expect(ending.output.contains("b converts more than a, by "))
    }

    @Test("As JSON it has every number, the methods by their names, and the decision")
    func json() async throws {
        let (ending, _) = try await run(["e-1", "--json"])

        for part in [
            #""maturedConverted":500"#, #""isOff":false"#, "Wasserman, Ramdas & Balakrishnan 2020",
            "asymptotic confidence sequence", "Lindon & Malek 2022", #""decision":"b converts more than a"#,
        ] {
            #expect(ending.output.contains(part), "\(part) in \(ending.output)")
        }
        #expect(!ending.output.contains("\n"))
    }

    @Test("The other traffic has to be asked for")
    func traffic() async throws {
        let (ending, _) = try await run(["e-1", "--traffic", "unverified"])
        let (mistyped, _) = try await run(["e-1", "--traffic", "all"])

        #expect(ending.output.contains("apart: production, attested: 10000 assigned"))
        #expect(mistyped.status == .usage)
    }

    @Test("An experiment, or an epoch, that is not there is said to be so")
    func unknown() async throws {
        let (none, asked) = try await run(["e-1"], experiments: [])
        let (epoch, _) = try await run(["e-1", "--epoch", "2"])

        #expect(none.status == .failed && none.complaint.contains("no experiment e-1") && asked.isEmpty)
        #expect(epoch.status == .usage && epoch.complaint.contains("it has 1 epochs"))
    }
}
