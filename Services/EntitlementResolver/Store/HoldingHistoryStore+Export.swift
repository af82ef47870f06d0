internal import Lane
internal import Messages
internal import SQLite

extension HoldingHistoryStore {
    /// Every version of everything that a user's side was told.
    ///
    /// - Parameter key: of the version behind which to begin, as ``UserExportPage/Known`` says it.
    static func all(
        of customer: Customer, after key: [String]?, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [UserExportPage.Known] {
        let key = key ?? ["", "", "", "", "", "0"]
        guard key.count == 6 else { return [] }
        return try store.all(
            """
            SELECT sort, realm, original, environment, id, revision, known_from, known_until, told FROM holding_history
            WHERE organisation = ? AND user = ?
                AND (sort, realm, original, environment, id, revision) > (?, ?, ?, ?, ?, ?)
            ORDER BY sort, realm, original, environment, id, revision LIMIT ?
            """,
            bindings: [SQLValue(customer.organisation), SQLValue(customer.user)] + key.prefix(5).map(SQLValue.text) + [
                SQLValue(Int(key[5]) ?? 0), SQLValue(limit),
            ]
        ) { row in
            let environment: StoreEnvironment = try row.id(3)
            let id: TransactionID = try row.id(4)
            return UserExportPage.Known(
                sort: try row.text(0), realm: try row.id(1), originalTransactionID: try row.id(2),
                environment: environment.rawValue.isEmpty ? nil : environment,
                transaction: id.rawValue.isEmpty ? nil : id, revision: try row.int(5), knownFrom: try row.time(6),
                knownUntil: try row.timeOrNil(7), told: try row.blobOrNil(8).map { String(decoding: $0, as: UTF8.self) }
            )
        }
    }
}

extension UserExportPage.Known {
    /// Its place among the others.
    var key: [String] {
        [
            sort, realm.rawValue, originalTransactionID.rawValue, environment?.rawValue ?? "",
            transaction?.rawValue ?? "", String(revision),
        ]
    }
}
