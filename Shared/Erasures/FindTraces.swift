public import Lane
public import Messages
public import SQLite

/// `user.traces.v1` and its likes: where this partition names a user.
public struct FindTraces<Question: UserTracesQuestion>: QueryHandler {
    /// It counts rows.
    public static var isLengthy: Bool { true }

    private let tables: [String]
    private let unsettled: [String]

    /// - Parameters:
    ///   - tables: those with rows that name a user, in columns `organisation` and `user`.
    ///   - unsettled: likewise; a row in one of them is work that has still to follow what was forgotten.
    public init(in tables: [String], unsettled: [String] = []) {
        self.tables = tables
        self.unsettled = unsettled
    }

    /// Counts.
    public func answer(_ query: Question, in snapshot: borrowing Snapshot) throws -> Verdict<UserTraces.Value> {
        let customer = Customer(query.organisation, query.user)
        let erasure = try ErasureStore.newest(of: customer, in: snapshot)
        let rows = try customer.rows(in: tables + unsettled, of: snapshot)
        let isPending = erasure.map { erasure in erasure.isPending || unsettled.contains { rows[$0] != nil } }
        return .applied(UserTraces.Value(rows: rows, erasedAt: erasure?.time, isPending: isPending ?? false))
    }
}

extension Customer {
    /// How many rows name him, by table; without tables that do not.
    public func rows(
        in tables: [String], of store: borrowing some Reading & ~Copyable
    ) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in tables {
            let count = try store.first(
                SQL(composed: "SELECT COUNT(*) FROM \(table) WHERE organisation = ? AND user = ?"),
                SQLValue(organisation), SQLValue(user)
            ) { try $0.int(0) }
            if let count, count > 0 { counts[table] = count }
        }
        return counts
    }
}
