package import Lane
package import Messages
package import SQLite

/// `signposts.export.v1`: all that this partition keeps of a user, a page at a time, table by table.
package struct ExportUser: QueryHandler {
    package static let isLengthy = true

    private let pageSize: Int

    package init(pageSize: Int = 200) { self.pageSize = pageSize }

    package func answer(_ query: SignpostsExport, in snapshot: borrowing Snapshot) throws -> Verdict<UserRecordsPage> {
        let customer = Customer(query.organisation, query.user)
        var (section, place) = query.after.flatMap(Self.cursor) ?? (0, 0)
        guard UserRecords.sections.indices.contains(section) else { return .applied(UserRecordsPage(records: [])) }
        let found = try UserRecords.sections[section].read(customer, place, pageSize, snapshot)
        if found.count < pageSize { (section, place) = (section + 1, 0) } else { place = found.last?.place ?? place }
        let isDone = section == UserRecords.sections.count
        return .applied(
            UserRecordsPage(records: found.map(\.record), next: isDone ? nil : "\(section) \(place)"))
    }

    /// The table, by its number, and the row behind which to go on.
    private static func cursor(_ text: String) -> (Int, Int64)? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let section = Int(parts[0]), let place = Int64(parts[1]) else { return nil }
        return (section, place)
    }
}
