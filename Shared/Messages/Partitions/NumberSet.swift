/// A set of whole numbers kept as ranges: what a partition has seen of a publisher's numbers.
///
/// As JSON an array of pairs: `[[1, 40], [42, 97]]`.
public struct NumberSet: Sendable, Hashable {
    /// Ascending, apart from each other by at least one number.
    public private(set) var ranges: [ClosedRange<Int>] = []

    /// Nothing.
    public init() {}

    /// These numbers.
    public init(_ ranges: [ClosedRange<Int>]) {
        for range in ranges { insert(range) }
    }

    /// How many numbers.
    public var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Whether there is none.
    public var isEmpty: Bool { ranges.isEmpty }

    /// The greatest number.
    public var max: Int? { ranges.last?.upperBound }

    /// Whether `number` is in it.
    public func contains(_ number: Int) -> Bool {
        let index = firstIndex(endingAtOrAfter: number)
        return index < ranges.count && ranges[index].contains(number)
    }

    /// Adds one number.
    ///
    /// - Returns: false if it was there.
    @discardableResult
    public mutating func insert(_ number: Int) -> Bool {
        // What comes in order only makes the last range longer.
        if let last = ranges.last {
            if number == last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
                return true
            }
        }
        if contains(number) { return false }
        insert(number...number)
        return true
    }

    /// Adds all numbers of `range`.
    public mutating func insert(_ range: ClosedRange<Int>) {
        var merged = range
        let start = firstIndex(endingAtOrAfter: range.lowerBound == .min ? .min : range.lowerBound - 1)
        var end = start
        while end < ranges.count,
            ranges[end].lowerBound <= merged.upperBound || ranges[end].lowerBound - 1 == merged.upperBound
        {
            merged =
                min(merged.lowerBound, ranges[end].lowerBound)...Swift.max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: [merged])
    }

    /// All numbers of both.
    public func union(_ other: NumberSet) -> NumberSet {
        other.ranges.reduce(into: self) { $0.insert($1) }
    }

    /// The numbers that are not in `other`.
    public func subtracting(_ other: NumberSet) -> NumberSet {
        var result = NumberSet()
        for range in ranges {
            var next = range.lowerBound
            for hole in other.ranges where hole.upperBound >= range.lowerBound && hole.lowerBound <= range.upperBound {
                if hole.lowerBound > next { result.ranges.append(next...hole.lowerBound - 1) }
                next = hole.upperBound + 1
                if next > range.upperBound { break }
            }
            if next <= range.upperBound { result.ranges.append(next...range.upperBound) }
        }
        return result
    }

    private func firstIndex(endingAtOrAfter number: Int) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension NumberSet: Codable {
    /// From pairs; numbers are 1 to 2^53.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            let pair = try container.decode([Int].self)
            guard pair.count == 2, pair[0] >= 1, pair[0] <= pair[1], pair[1] <= 1 << 53 else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected [first, last]")
            }
            insert(pair[0]...pair[1])
        }
    }

    /// As pairs.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for range in ranges { try container.encode([range.lowerBound, range.upperBound]) }
    }
}
