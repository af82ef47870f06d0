internal import ServiceKit

/// One reader connection on a thread of its own.
actor Reader {
    private let executor: BlockingExecutor
    private var connection: Connection?

    init(label: String) { executor = BlockingExecutor(label: label) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func open(at path: String, _ configuration: DatabaseConfiguration) throws {
        connection = try Connection(at: path, as: .reader, configuration)
    }

    func read<Value: Sendable>(
        until deadline: ContinuousClock.Instant?, _ body: @Sendable (borrowing Snapshot) throws -> Value
    ) throws -> Value {
        guard let connection else { throw StoreRefusal.closed }
        // The task may have been given up while it waited for this thread.
        try Task.checkCancellation()
        do {
            return try connection.reading(until: deadline) {
                try connection.snapshot {
                    // As a temporary it crashes the optimiser of Swift 6.3.1.
                    let snapshot = Snapshot(on: connection)
                    return try body(snapshot)
                }
            }
        } catch {
            // SQLite's "interrupted" is how a running statement heard of the cancellation.
            try Task.checkCancellation()
            throw error
        }
    }

    func backup(to destination: String) throws {
        guard let connection else { throw StoreRefusal.closed }
        let draft = StoreFile(path: destination + ".new")
        try draft.remove()
        try draft.create()
        do {
            try connection.copy(to: draft.path)
            try draft.move(to: destination)
        } catch {
            try draft.remove()
            throw error
        }
    }

    func close() { connection = nil }
}
