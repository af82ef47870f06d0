/// A table of so many entries at most: the oldest goes first.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var values: [Key: Value] = [:]
    /// A ring of the keys, once it is full.
    private var keys: [Key] = []
    private var oldest = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { values.count }

    subscript(key: Key) -> Value? { values[key] }

    mutating func put(_ value: Value, for key: Key) {
        guard values.updateValue(value, forKey: key) == nil else { return }
        if keys.count < capacity {
            keys.append(key)
        } else {
            values[keys[oldest]] = nil
            keys[oldest] = key
            oldest = (oldest + 1) % capacity
        }
    }
}
