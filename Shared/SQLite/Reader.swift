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

    func read<Value: Sendable>(_ body: @Sendable (borrowing Snapshot) throws -> Value) throws -> Value {
        guard let connection else { throw StoreRefusal.closed }
        // The task may have been given up while it waited for this thread.
        try Task.checkCancellation()
        do {
            return try connection.transaction(.reading) { try body(Snapshot(on: connection)) }
        } catch {
            // SQLite's "interrupted" is how a running statement heard of the cancellation.
            try Task.checkCancellation()
            throw error
        }
    }

    func close() { connection = nil }
}
