public import Messages
public import SQLite

/// One partition of one service.
public struct PartitionAddress: Sendable, Hashable, CustomStringConvertible {
    /// The service.
    public let service: ServiceName
    /// 0 to count − 1.
    public let number: Int
    /// Into how many partitions the service is split.
    public let count: PartitionCount

    /// A partition of these.
    public init(service: ServiceName, number: Int, count: PartitionCount) {
        self.service = service
        self.number = number
        self.count = count
    }

    /// `receipt-validator.2`: the name of its queue.
    public var description: String { "\(service).\(number)" }

    /// Whether `bucket` is its own.
    public func owns(_ bucket: Bucket) -> Bool { bucket.partition(of: count) == number }

    /// What its store says of itself.
    public var identity: StoreIdentity {
        StoreIdentity(service: service.rawValue, partition: number, partitionCount: count.rawValue)
    }

    /// Where its store is, within the service's store folder.
    public func storePath(in folder: String) -> String { "\(folder)/\(description).sqlite" }
}
