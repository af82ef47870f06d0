/// What can be chosen about a store's connections. The defaults are the measured ones.
public struct DatabaseConfiguration: Sendable {
    /// Reader connections, each with a thread of its own: one for what takes long, one for a backup or an operator, and
    /// one for all else.
    public var readers: Int = 3
    /// How long a connection waits for a lock that somebody else holds, an operator's `sqlite3` for example.
    public var busyTimeout: Duration = .seconds(5)
    /// Pages in the write-ahead log before a commit copies them into the file: fewer, larger copies are cheaper.
    public var checkpointAfterPages = 8000
    /// What the write-ahead log is cut back to after a reader had let it grow, in bytes.
    public var logSizeLimit = 64 << 20
    /// Memory for pages, in bytes for each connection.
    public var pageCache = 8 << 20
    /// Prepared statements that each connection keeps.
    public var preparedStatements = 128

    /// The defaults.
    public init() {}
}
