internal import Lane
internal import Messages
internal import SQLite

extension EvidenceStore {
    /// Whether all that an artifact has told of a chain was taken back. What it has not told yet was not.
    static func isRetracted(
        _ source: Evidence.Source, from chain: ChainID, in store: borrowing some Reading & ~Copyable
    ) throws -> Bool {
        try store.first(
            """
            SELECT MAX(product IS NOT NULL AND retracted_at IS NULL) FROM evidence
            WHERE organisation = ? AND realm = ? AND original = ? AND app = ? AND digest = ?
            """, bindings: chain.bindings + [SQLValue(source.app), SQLValue(source.digest)]
        ) { try $0.boolOrNil(0).map { !$0 } ?? false } ?? false
    }

    /// The app for which a chain was verified; nil: nothing counts of it. A store sells a chain in one app: of several that
    /// were verified all the same it is the first by name.
    static func app(
        of chain: ChainID, _ environment: StoreEnvironment, in store: borrowing some Reading & ~Copyable
    ) throws -> AppID? {
        try store.first(
            """
            SELECT MIN(app) FROM evidence INDEXED BY evidence_that_counts
            WHERE organisation = ? AND realm = ? AND original = ? AND environment = ? AND counts > 0
            """, bindings: chain.bindings + [SQLValue(environment)]
        ) { try $0.idOrNil(0) } ?? nil
    }

    /// Notes why what an artifact told of a transaction was taken back.
    static func note(
        _ why: String, revision: Int, from source: Evidence.Source, of chain: ChainID, _ environment: StoreEnvironment,
        _ transactionID: TransactionID, in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE evidence SET retracted_why = ?
            WHERE organisation = ? AND realm = ? AND original = ? AND environment = ? AND id = ? AND app = ?
                AND digest = ? AND revision = ?
            """,
            bindings: [.text(why)] + chain.bindings + [
                SQLValue(environment), SQLValue(transactionID), SQLValue(source.app), SQLValue(source.digest),
                SQLValue(revision),
            ])
    }
}
