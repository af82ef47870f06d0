package import Lane
package import Messages
package import SQLite

/// `paywall.export.v1`: all that this partition keeps of a user, a page at a time, table by table.
package struct ExportUser: QueryHandler {
    package static let isLengthy = true

    private let pageSize: Int

    package init(pageSize: Int = 200) { self.pageSize = pageSize }

    package func answer(_ query: PaywallExport, in snapshot: borrowing Snapshot) throws -> Verdict<UserRecordsPage> {
        .applied(
            try UserRecords.page(
                of: Customer(query.organisation, query.user), after: query.after, limit: pageSize, in: snapshot))
    }
}
