extension Database {
    /// Copies the write-ahead log into the file and empties it, which commits do by themselves now and then.
    ///
    /// - Returns: false when a reader still needed a part of the log; it is done by a later commit then.
    @discardableResult
    public func checkpoint() throws -> Bool { try opened().checkpoint() }

    /// Reads the whole file and reports what is wrong with it, at most a hundred findings. Empty for a sound store.
    ///
    /// Runs on a reader, so writes go on meanwhile.
    public nonisolated func checkIntegrity() async throws -> [String] {
        try await read { snapshot in
            let damage = try snapshot.all("PRAGMA integrity_check(100)") { try $0.text(0) }
            let orphans = try snapshot.all("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 100") {
                "row \(try $0.int64OrNil(1).map(String.init) ?? "?") of \(try $0.text(0)) refers to a row missing in \(try $0.text(2))"
            }
            return damage.filter { $0 != "ok" } + orphans
        }
    }
}
