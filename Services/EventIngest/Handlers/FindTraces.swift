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
        return .applied(
            UserTraces.Value(
                rows: try UserRows.counts(of: customer, in: snapshot), erasedAt: erasure?.time,
                isPending: erasure?.isPending ?? false))
    }
}
