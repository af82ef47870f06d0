/// One step in the life of a schema. Never edited once released: a store that has it would be another store.
public struct Migration: Sendable {
    /// Its place in its sequence, from 1.
    public let version: Int
    /// What it brings, for the operator: `"inbox and outbox"`.
    public let name: String
    /// One or several statements, separated by semicolons.
    public let script: String

    /// A step that runs `script`.
    public init(_ version: Int, _ name: String, _ script: String) {
        self.version = version
        self.name = name
        self.script = script
    }
}

/// The migrations of one module, in order. A store has one sequence for each module that keeps tables in it.
public struct MigrationSequence: Sendable {
    /// The module's name, such as `"lane"`.
    public let name: String
    /// Versions 1, 2, 3, …
    public let migrations: [Migration]

    /// - Precondition: the versions are 1, 2, 3, … in this order.
    public init(name: String, migrations: [Migration]) {
        precondition(
            migrations.map(\.version) == Array(1..<(migrations.count + 1)),
            "The migrations of \(name) are not numbered 1, 2, 3, …")
        self.name = name
        self.migrations = migrations
    }
}
