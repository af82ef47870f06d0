package import Lane
package import Messages
package import SQLite

/// `links.contested.v1`: claims that took a chain from somebody, or would have, and whose it is now.
package struct PageContests: QueryHandler {
    package static let isLengthy = true

    private let pageSize: Int

    package init(pageSize: Int = 500) { self.pageSize = pageSize }

    package func answer(
        _ query: LinksContested, in snapshot: borrowing Snapshot
    ) throws -> Verdict<LinksContested.Value> {
        let after = query.after.flatMap(FactVersion.init(cursor:)) ?? FactVersion(query.since, .init(rawValue: ""))
        let page = try ContestStore.page(after: after, limit: pageSize, in: snapshot)
        var contests: [LinksContested.Value.Contest] = []
        for contest in page {
            let (chain, claim) = (contest.chain, contest.kept.claim)
            guard query.organisation.map({ $0 == chain.organisation }) ?? true,
                query.app.map({ $0 == claim.app }) ?? true
            else { continue }
            let link = try ChainStore.chain(chain, in: snapshot).view
            contests.append(
                .init(
                    organisation: chain.organisation, realm: chain.realm, originalTransactionID: chain.original,
                    claim: contest.kept.view, link: link,
                    takenFrom: try ChainStore.holder(of: chain, before: claim.version.message, in: snapshot)?.told))
        }
        return .applied(
            LinksContested.Value(
                contests: contests, next: page.count < pageSize ? nil : page.last?.kept.claim.version.cursor))
    }
}

extension FactVersion {
    /// Where a page ended, for the next one.
    var cursor: String { "\(acceptedAt.millisecondsSince1970)/\(message)" }

    init?(cursor: String) {
        let parts = cursor.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
        self.init(Timestamp(clamping: time), MessageID(rawValue: String(parts[1])))
    }
}
