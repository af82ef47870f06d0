import Lane
import Messages
import SQLite
import TestSupport

@testable import EntitlementResolver

// What an operator does in these tests, and what he looks at.

extension ResolverStore {
    /// - Returns: whose the chain is then, or why not.
    func undo(
        to user: AppUserID, from holder: AppUserID?, on original: OriginalTransactionID = .first, day: Double
    ) async throws -> (followed: [Letter], refusal: Refusal?) {
        try await apply(
            Letter(
                LinkUndo(
                    organisation: .demo, app: .tunes, originalTransactionID: original, user: user, holder: holder,
                    by: "Zoë", why: "ticket 7"), id: "undo-\(user)-\(day)", at: .day(day), from: .operatorTool))
    }

    func unpin(
        _ original: OriginalTransactionID = .first, day: Double
    ) async throws -> (followed: [Letter], refusal: Refusal?) {
        try await apply(
            Letter(
                LinkUnpin(organisation: .demo, app: .tunes, originalTransactionID: original, by: "Zoë"),
                id: "unpin-\(day)", at: .day(day), from: .operatorTool))
    }

    /// Up to noon of the day, with all that follows; returns what was told.
    @discardableResult
    func erase(_ user: AppUserID, day: Double) async throws -> [Letter] {
        let letter = try Letter(
            UserErase(organisation: .demo, user: user, by: "Zoë"), id: "erase-\(day)", at: .day(day),
            from: .operatorTool)
        let followed = try await settle(letter, now: .day(day))
        return followed + (try await ringAlarms(now: .day(day)))
    }

    private func apply(_ letter: Letter) async throws -> (followed: [Letter], refusal: Refusal?) {
        let result = try await database.write { transaction in try Self.apply(letter, in: transaction) }
        var followed = result.followers
        for follower in result.followers { followed += try await settle(follower) }
        return (followed, result.refusal)
    }

    func history(
        of original: OriginalTransactionID = .first, knownAt time: Timestamp? = nil
    ) async throws -> ChainHistoryView? {
        let verdict = try await database.read { snapshot in
            try TellHistory().answer(
                ChainHistory(
                    organisation: .demo, realm: .stores, originalTransactionID: original, knownAt: time),
                in: snapshot)
        }
        guard case .applied(let view) = verdict else { return nil }
        return view
    }

    func outcomes(of original: OriginalTransactionID = .first) async throws -> [ClaimOutcome?] {
        try await database.read { try ClaimStore.all(to: ChainID(.demo, .stores, original), in: $0).map(\.outcome) }
    }

    /// Every text of the store, so that a name can be looked for where nobody expects it.
    func mentions(of text: String) async throws -> [String] {
        try await database.read { snapshot in
            let tables = try snapshot.all("SELECT name FROM sqlite_schema WHERE type = 'table'") { try $0.text(0) }
            var found: [String] = []
            for table in tables {
                let columns = try snapshot.all(
                    SQL(composed: "SELECT name FROM pragma_table_info('\(table)')")
                ) { try $0.text(0) }
                for column in columns {
                    let count = try snapshot.first(
                        SQL(
                            composed: """
                                SELECT count(*) FROM "\(table)" WHERE instr(CAST("\(column)" AS BLOB), CAST(? AS BLOB)) > 0
                                """), .text(text)
                    ) { try $0.int(0) }
                    if let count, count > 0 { found.append("\(table).\(column)") }
                }
            }
            return found
        }
    }
}
