import Messages
import TestSupport
import Testing
import Tollgate

@Suite("Names of events, as the operator sees and takes them back")
struct SignpostNamesTests {
    private func run(_ words: [String]) async throws -> (ending: Tool.Ending, sent: [MessageKind]) {
        let installation = FakeInstallation()
        let name = EventName(rawValue: "junk")
        var book = EventNameBook(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
            names: [.init(name: name, since: CommandTests.time, trust: .unverified)], version: 1)
        let ending = try await installation.answering(.eventIngest) {
            [book] kind, body -> (any Encodable & Sendable)? in
            var book = book
            switch kind {
            case PartitionReportGet.kind: return Answer.applied(FakeInstallation.report(.eventIngest, 0, of: 2))
            case EventNameList.kind: return Answer.applied(book)
            case EventNameUsage.kind:
                return Answer.applied(EventNameUsage.Value(counts: [.init(name: name, attested: 1, unverified: 20)]))
            case EventNameRelease.kind:
                book.names = []
                return Answer.applied(book)
            case EventNameRule.kind:
                book.claims = try? MessageJSON.decode(EventNameRule.self, from: body).claims
                return Answer.applied(book)
            default: return nil
            }
        } while: {
            await installation.tool(["signposts"] + words + ["--app", "com.example.tunes"])
        }
        book.names = []
        return (ending, installation.messages.compactMap(\.kind))
    }

    @Test("A list says by whose word a name was claimed")
    func names() async throws {
        let (ending, _) = try await run(["names"])

        #expect(ending.output.contains("claimed by an unverified caller"), "\(ending.complaint)")
    }

    @Test("Taking a name back says first how many events go with it, of all partitions, and changes nothing")
    func preview() async throws {
        let (ending, sent) = try await run(["release", "junk"])

        #expect(
            ending.status == .success && ending.output.contains("junk: 42 events, 2 of attested callers"),
            "\(ending.complaint)")
        #expect(!sent.contains(EventNameRelease.kind))
    }

    @Test("With --yes it is done, and says what is free then")
    func release() async throws {
        let (ending, sent) = try await run(["release", "junk", "--yes"])

        #expect(
            sent.contains(EventNameRelease.kind) && ending.output.contains("32 names are free"), "\(ending.complaint)")
    }

    @Test("A name that the app does not have is not taken back")
    func stranger() async throws {
        let (ending, sent) = try await run(["release", "junk", "other", "--yes"])

        #expect(ending.status == .failed && !sent.contains(EventNameRelease.kind))
    }

    @Test("Who may claim names is said, and changed with --yes alone")
    func claims() async throws {
        let (preview, asked) = try await run(["claims", "attested"])
        #expect(preview.output.hasPrefix("anybody may claim names") && !asked.contains(EventNameRule.kind))
        #expect(preview.output.hasSuffix("--yes lets attested callers alone claim them"))
        #expect(try await run(["claims", "anybody"]).ending.output == "anybody may claim names for com.example.tunes")
        #expect(try await run(["claims", "attested", "--yes"]).ending.output.hasPrefix("attested callers alone"))
        #expect(try await run(["claims", "anybody", "--yes"]).ending.output.hasPrefix("anybody"))
        #expect(try await run(["claims", "nobody"]).ending.status == .usage)
    }
}
