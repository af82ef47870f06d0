package import Lane
package import Messages
package import SQLite

/// `signposts.traces.v1`: where this partition names a user.
package struct FindTraces: QueryHandler {
    package static let isLengthy = true

    package init() {}

    package func answer(_ query: SignpostsTraces, in snapshot: borrowing Snapshot) throws -> Verdict<UserTraces.Value> {
        let customer = Customer(query.organisation, query.user)
        let erasure = try ErasureStore.newest(of: customer, in: snapshot)
        let rows = try UserRows.counts(of: customer, in: snapshot)
        // What the funnel counts of him goes a moment after what it was made of.
        let isPending = erasure.map { $0.isPending || rows["funnel_changes"] != nil }
        return .applied(UserTraces.Value(rows: rows, erasedAt: erasure?.time, isPending: isPending ?? false))
    }
}
