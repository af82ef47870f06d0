import Messages
import TestSupport
import Testing
import Tollgate

@Suite("A link that an operator takes back")
struct LinksUndoTests {
    private static let epoch = Timestamp(clamping: 1_772_366_400_000)
    private static let (ann, ben) = (AppUserID(rawValue: "ann"), AppUserID(rawValue: "ben"))

    /// Ann had it, then Ben, and then whoever `link` says.
    private static func history(_ link: AppUserID, _ rank: ClaimRank) -> ChainHistoryView {
        let users = [ann, ben] + (link == ben ? [] : [link])
        return ChainHistoryView(
            link: .init(user: link, rank: rank, since: epoch, revision: users.count),
            claims: [ann, ben].map { user in
                ChainHistoryView.Claim(
                    acceptedAt: epoch, message: MessageID(rawValue: user.rawValue),
                    app: AppID(rawValue: "com.example.tunes"), user: user, rank: .verified, policy: .move,
                    outcome: .init(rawValue: "moved"))
            },
            entries: users.map { user in
                var entry = TimelineEntry(.linkWon, at: epoch, knownAt: epoch)
                entry.user = user
                return entry
            })
    }

    private func run(_ history: ChainHistoryView, _ words: String...) async throws -> (Tool.Ending, LinkUndo?) {
        let installation = FakeInstallation()
        let tunes = AppRecord(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"), version: 1,
            changedAt: Self.epoch)
        let ending = try await installation.answering(.attestGateway) { kind, _ -> (any Encodable & Sendable)? in
            kind == RegistrySnapshot.kind
                ? Answer.applied(RegistrySnapshot.Value(version: 1, apps: [tunes], keys: [])) : nil
        } while: {
            try await installation.answering(.entitlementResolver) { kind, _ -> (any Encodable & Sendable)? in
                switch kind {
                case ChainHistory.kind: Answer.applied(history)
                case LinkUndo.kind: Answer.applied(LinkRuling(rank: .pinned, since: Self.epoch, revision: 9))
                default: nil
                }
            } while: {
                await installation.tool(["links", "undo", "1000", "--app", "com.example.tunes"] + words)
            }
        }
        let body = installation.messages.last { $0.kind == LinkUndo.kind }?.body
        return (ending, try body.map { try MessageJSON.decode(LinkUndo.self, from: $0) })
    }

    @Test("It goes to who had it before")
    func before() async throws {
        let (ending, sent) = try await run(Self.history(Self.ben, .verified), "--yes")

        #expect(ending.output.contains("1000 goes from ben to ann, and is pinned there"), "\(ending.complaint)")
        #expect(sent?.user == Self.ann && sent?.holder == Self.ben)
    }

    @Test("The same again does not take it back: of what an operator has pinned, he has to say who gets it")
    func again() async throws {
        let undone = Self.history(Self.ann, .pinned)
        let (ending, sent) = try await run(undone, "--yes")
        let (named, word) = try await run(undone, "--to", "ben", "--yes")

        #expect(ending.status == .failed && sent == nil)
        #expect(ending.complaint.contains("an operator has given 1000 to ann") && ending.complaint.contains("--to"))
        #expect(named.status == .success && word?.user == Self.ben, "\(named.complaint)")
    }
}
