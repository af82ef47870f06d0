/// A message that is for one partition, whatever it is about: each of them is asked the same.
public protocol NamingPartition: Message {
    /// Which partition.
    var partition: Int { get }
}

extension NamingPartition {
    /// Not used: the partition is named.
    public var key: String { String(partition) }
    /// The first bucket of the partition.
    public var bucket: Bucket { Bucket(partition) ?? Bucket.all[0] }
}
