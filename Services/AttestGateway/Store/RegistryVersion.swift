internal import SQLite

/// The registry's one counter: whoever holds two records of the same thing takes the one with the higher version.
enum RegistryVersion {
    /// The version of the newest change.
    static func current(in store: borrowing some Reading & ~Copyable) throws -> Int {
        try store.first("SELECT version FROM registry_version WHERE id = 1") { try $0.int(0) } ?? 0
    }

    /// A change of this version is stored in the same transaction.
    static func raise(to version: Int, in transaction: borrowing Transaction) throws {
        try transaction.run("UPDATE registry_version SET version = ? WHERE id = 1", SQLValue(version))
    }
}
