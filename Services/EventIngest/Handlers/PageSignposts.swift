package import Lane
package import Messages
package import SQLite

/// `signposts.page.v1`: events in the order in which they were stored.
package struct PageSignposts: QueryHandler {
    package static let isLengthy = true

    private let partitions: Int

    /// - Parameter partitions: how many there are, for whoever asks all of them.
    package init(partitions: Int) { self.partitions = partitions }

    package func answer(
        _ query: SignpostsPage, in snapshot: borrowing Snapshot
    ) throws -> Verdict<SignpostsPage.Value> {
        let after = query.after.flatMap(Int64.init)
        if query.isForward == true, after == nil {
            let newest = try EventPages.newest(in: snapshot)
            return .applied(.init(events: [], next: String(newest), partitions: partitions))
        }
        let limit = min(max(query.limit ?? 100, 1), 500)
        let page = try EventPages.page(query, after: after, limit: limit, in: snapshot)
        let end = page.end.map(String.init) ?? (query.isForward == true ? query.after : nil)
        return .applied(.init(events: page.events, next: end, partitions: partitions))
    }
}
