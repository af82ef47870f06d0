import Messages
import Synchronization
import TestSupport
import Testing
import Tollgate

@Suite("What is contested, as the operator sees it")
struct LinksContestedTests {
    private static let epoch = Timestamp(clamping: 1_772_366_400_000)

    private static func contest(
        of user: AppUserID, day: Int, _ outcome: String, takenFrom: AppUserID? = nil, link: AppUserID
    ) -> LinksContested.Value.Contest {
        LinksContested.Value.Contest(
            organisation: OrganisationID(rawValue: "acme"), realm: .stores,
            originalTransactionID: OriginalTransactionID(rawValue: "1000"),
            claim: ChainHistoryView.Claim(
                acceptedAt: epoch + .seconds(day * 86_400), message: MessageID(rawValue: "m-\(day)"),
                app: AppID(rawValue: "com.example.tunes"), user: user, rank: .verified, policy: .move,
                outcome: .init(rawValue: outcome)),
            link: ChainHistoryView.Link(user: link, rank: .verified, since: epoch, revision: 3), takenFrom: takenFrom)
    }

    /// One page for each, on one partition.
    private func run(_ contests: [LinksContested.Value.Contest]) async throws -> Tool.Ending {
        let installation = FakeInstallation()
        return try await installation.answering(.entitlementResolver) { kind, body -> (any Encodable & Sendable)? in
            switch kind {
            case PartitionReportGet.kind: return Answer.applied(FakeInstallation.report(.entitlementResolver))
            case LinksContested.kind:
                guard let asked = try? MessageJSON.decode(LinksContested.self, from: body) else { return nil }
                let page = asked.after.flatMap { Int($0) } ?? 0
                return Answer.applied(
                    LinksContested.Value(
                        contests: [contests[page]], next: page + 1 < contests.count ? "\(page + 1)" : nil))
            default: return nil
            }
        } while: {
            await installation.tool("links", "contested")
        }
    }

    @Test("Who had it is named, also where he is the one who has it again")
    func otherSide() async throws {
        let ann = AppUserID(rawValue: "ann")
        let ben = AppUserID(rawValue: "ben")

        let away = try await run([Self.contest(of: ben, day: 1, "moved", takenFrom: ann, link: ben)])
        let back = try await run([
            Self.contest(of: ben, day: 1, "moved", takenFrom: ann, link: ann),
            Self.contest(of: ann, day: 2, "moved", takenFrom: ben, link: ann),
        ])

        #expect(
            away.output.contains("acme/1000  ben has it (verified); ben claimed it (verified): moved, against ann\n"))
        #expect(
            back.output.contains(
                "acme/1000  ann has it (verified); ann claimed it (verified): moved, against ben, 2 such claims\n"))
    }
}
