import Messages
import TestSupport
import Testing
import Tollgate

@Suite("Telling links again, as the operator asks for it")
struct LinksResendTests {
    private func run(_ words: [String], environment: [String: String] = [:]) async throws
        -> (ending: Tool.Ending, asked: [LinksResend])
    {
        let installation = FakeInstallation()
        let ending = try await installation.answering(.entitlementResolver) {
            kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case PartitionReportGet.kind: Answer.applied(FakeInstallation.report(.entitlementResolver))
            case LinksResend.kind: Answer.applied(LinksResend.Value(looked: 1, sent: 1, next: nil))
            default: nil
            }
        } while: {
            await installation.tool(["links", "resend"] + words, environment: environment)
        }
        let asked = installation.messages.filter { $0.kind == LinksResend.kind }.compactMap {
            try? MessageJSON.decode(LinksResend.self, from: $0.body)
        }
        return (ending, asked)
    }

    @Test("One transaction is of the app that the settings name, as in every other command about links")
    func settingsNameTheApp() async throws {
        let (ending, asked) = try await run(["1000"], environment: ["TOLLGATE_APP": "com.example.tunes"])

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(asked.map(\.originalTransactionID?.rawValue) == ["1000"])
        #expect(asked.map(\.organisation?.rawValue) == ["acme"] && asked.map(\.app?.rawValue) == ["com.example.tunes"])
    }

    @Test("Without a transaction the settings leave nothing out")
    func everything() async throws {
        let (ending, asked) = try await run([], environment: ["TOLLGATE_APP": "com.example.tunes"])

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(asked.map(\.organisation) == [nil] && asked.map(\.app) == [nil])
    }

    @Test("A partition that there is not, or a place at which nothing goes on, is said to be none, and nothing is told")
    func nowhere() async throws {
        let (partition, asked) = try await run(["--partition", "7"])
        let (place, alsoAsked) = try await run(["--from", "0:acme"])

        #expect(partition.status == .failed && asked.isEmpty)
        #expect(partition.complaint.contains("entitlement-resolver has no partition 7: it has 1"))
        #expect(place.status == .usage && alsoAsked.isEmpty)
        #expect(place.complaint.contains("acme is no place at which entitlement-resolver could go on"))
    }

    @Test("A transaction of no app is a wrong command line, and nothing is told")
    func appIsMissing() async throws {
        let (ending, asked) = try await run(["1000"])

        #expect(ending.status == .usage && asked.isEmpty)
        #expect(ending.complaint.contains("--organisation and --app, or TOLLGATE_ORGANISATION and TOLLGATE_APP"))
    }
}
