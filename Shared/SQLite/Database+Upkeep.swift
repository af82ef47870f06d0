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
            var findings: [String] = []
            do {
                try snapshot.forEach("PRAGMA integrity_check(100)") { findings.append(try $0.text(0)) }
            } catch let error as SQLiteError where error.fault == .corrupt {
                // The check itself gave up on a page.
                findings.append(error.message)
            }
            guard findings == ["ok"] else { return findings }
            return try snapshot.all("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 100") {
                "a row of \(try $0.text(0)) refers to a row of \(try $0.text(1)) that is not there"
            }
        }
    }

    /// Writes a copy of the store, as of now, to a new file. Reads and writes go on meanwhile; the copy appears
    /// complete or not at all, and can be opened like the original.
    ///
    /// - Throws: ``StoreRefusal/storeExists(path:)``; ``SQLiteError``; `CancellationError`.
    public nonisolated func backup(to destination: String) async throws {
        // A reader of its own, so that the others stay free.
        let reader = Reader(label: "db\(identity.partition) backup")
        try await reader.open(at: path, configuration)
        try await reader.backup(to: destination)
    }
}
