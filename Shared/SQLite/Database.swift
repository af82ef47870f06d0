internal import ServiceKit

/// A store: one SQLite file with one writer and a few readers, each on a thread of its own.
///
/// Made by ``create(at:as:schema:createdAt:configuration:)``, opened by ``open(at:as:schema:configuration:)``. A unit of work is one
/// closure that runs in one transaction. A commit is on the disk when ``write(_:)`` returns (`synchronous=FULL`).
/// The actor holds the store's lock until it is closed or gone.
public actor Database {
    /// Where the file is.
    public nonisolated let path: String
    /// Which partition of which service it is for.
    public nonisolated let identity: StoreIdentity

    nonisolated let configuration: DatabaseConfiguration
    private let executor: BlockingExecutor
    private let readers: ReaderPool
    private var lock: StoreLock?
    private var connection: Connection?
    private var isClosed = false

    /// The writer's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(path: String, identity: StoreIdentity, configuration: DatabaseConfiguration) {
        self.path = path
        self.identity = identity
        self.configuration = configuration
        executor = BlockingExecutor(label: "db\(identity.partition) writer")
        readers = ReaderPool(
            (0..<max(1, configuration.readers)).map { Reader(label: "db\(identity.partition) reader\($0)") })
    }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Throws: what `body` throws; ``SQLiteError`` when the transaction could not begin or be committed, and then
    ///   nothing of it is stored; ``StoreRefusal/closed``. The store can be used on after each of them.
    public func write<Value: Sendable>(
        _ body: @Sendable (borrowing Transaction) throws -> Value
    ) throws -> Value {
        let connection = try opened()
        return try connection.transaction {
            let transaction = Transaction(on: connection)
            return try body(transaction)
        }
    }

    /// Runs `body` on one of the readers: it sees the store as of the last commit, and holds up no writer.
    ///
    /// Waits in line when all readers are busy. Cancelling the task stops it, also in the middle of a statement, and so
    /// does its time: in a statement, or before the next row or statement.
    ///
    /// - Parameter deadline: nil: as long as it takes.
    /// - Throws: what `body` throws; ``SQLiteError``; `CancellationError`; ``ReadOverdue``; ``StoreRefusal/closed``.
    public nonisolated func read<Value: Sendable>(
        until deadline: ContinuousClock.Instant? = nil, _ body: @Sendable (borrowing Snapshot) throws -> Value
    ) async throws -> Value {
        try await readers.read(until: deadline, body)
    }

    /// Ends the store's use in order: waits for reads and writes in progress, empties the write-ahead log into the
    /// file, releases the lock. Further calls throw ``StoreRefusal/closed``.
    public func close() async {
        isClosed = true
        await readers.close()
        // The last connection to close empties the log, so the writer goes after the readers.
        connection = nil
        lock = nil
    }

    /// Takes the lock and `connection` into use.
    func begin(with connection: Connection, holding lock: StoreLock) async throws {
        try await readers.open(at: path, configuration)
        self.connection = connection
        self.lock = lock
    }

    func opened() throws(StoreRefusal) -> Connection {
        guard let connection, !isClosed else { throw .closed }
        return connection
    }
}
