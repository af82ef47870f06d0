internal import CSQLite

extension Connection {
    /// Copies the write-ahead log into the file and empties it. False when a reader still needs a part of it.
    func checkpoint() throws(SQLiteError) -> Bool {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code & 0xff == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw error(code, "checkpoint") }
        return true
    }

    /// Copies the store, as it is now, into the empty file at `path`, without holding up the writer.
    func copy(to path: String) throws {
        let target = try Connection(at: path, as: .writer, DatabaseConfiguration())
        try snapshot {
            // A transaction sees nothing yet before its first read; from then on all steps copy one state.
            try run("SELECT count(*) FROM sqlite_schema", [])
            guard let copying = sqlite3_backup_init(target.handle, "main", handle, "main") else {
                throw target.error(sqlite3_extended_errcode(target.handle), "copy")
            }
            var code = SQLITE_OK
            while code == SQLITE_OK, !Task.isCancelled { code = sqlite3_backup_step(copying, 1024) }
            let end = sqlite3_backup_finish(copying)
            try Task.checkCancellation()
            guard code == SQLITE_DONE, end == SQLITE_OK else { throw target.error(code, "copy") }
        }
    }
}
