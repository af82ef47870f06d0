/// Which partition of which service a store is for. Written into it when it is made, and checked when it is opened:
/// a file in the wrong place would answer for keys that are not its own.
public struct StoreIdentity: Hashable, Sendable {
    /// The service's name, such as `"receipt-validator"`.
    public var service: String
    /// The partition's number, from 0.
    public var partition: Int
    /// How many partitions the service has.
    public var partitionCount: Int

    /// Partition 0 of 1 is a service with a single store.
    public init(service: String, partition: Int = 0, partitionCount: Int = 1) {
        self.service = service
        self.partition = partition
        self.partitionCount = partitionCount
    }
}

extension StoreIdentity: CustomStringConvertible {
    /// `receipt-validator, partition 3 of 8`
    public var description: String { "\(service), partition \(partition) of \(partitionCount)" }
}

/// The table with a store's identity: one row.
struct StoreIdentityTable {
    let connection: Connection

    /// Makes the table and its row. Part of making a store.
    func create(_ identity: StoreIdentity, createdAt milliseconds: Int64) throws(SQLiteError) {
        try connection.runOnce(
            """
            CREATE TABLE store_identity (
                only INTEGER PRIMARY KEY CHECK (only = 1),
                service TEXT NOT NULL,
                partition INTEGER NOT NULL,
                partition_count INTEGER NOT NULL,
                created_at INTEGER NOT NULL
            ) STRICT
            """)
        try connection.run(
            "INSERT INTO store_identity VALUES (1, ?, ?, ?, ?)",
            [
                SQLValue(identity.service), SQLValue(identity.partition), SQLValue(identity.partitionCount),
                SQLValue(milliseconds),
            ])
    }

    /// What the store says about itself; nil when it is a database, but none of ours.
    func read() throws -> StoreIdentity? {
        try connection.snapshot {
            let snapshot = Snapshot(on: connection)
            guard try snapshot.exists("SELECT 1 FROM sqlite_schema WHERE name = 'store_identity'") else { return nil }
            return try snapshot.first("SELECT service, partition, partition_count FROM store_identity") {
                StoreIdentity(service: try $0.text(0), partition: try $0.int(1), partitionCount: try $0.int(2))
            }
        }
    }
}
