package import SQLite

extension Database {
    /// What operators have changed here, as the audit trail says it: deed, what, and to how many.
    package func audited() async throws -> [String] {
        try await read { snapshot in
            try snapshot.all("SELECT deed, why, count FROM audit_trail ORDER BY number") { row in
                "\(try row.text(0)) \(try row.textOrNil(1) ?? "-") \(try row.int(2))"
            }
        }
    }
}
