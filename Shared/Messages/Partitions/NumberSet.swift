/// A set of whole numbers kept as ranges: what a partition has seen of a publisher's numbers.
///
/// As JSON an array of pairs: `[[1, 40], [42, 97]]`.
public struct NumberSet: Sendable, Hashable {
    /// Ascending, apart from each other by at least one number.
    public private(set) var ranges: [ClosedRange<Int>] = []

    /// Nothing.
    public init() {}

    /// These numbers, in whatever order.
    public init(_ ranges: [ClosedRange<Int>]) {
        // In order each insertion only touches the end; a million ranges in the worst order would take minutes.
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { insert(range) }
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
        if let last = ranges.last, number > last.upperBound, number - 1 == last.upperBound {
            ranges[ranges.count - 1] = last.lowerBound...number
            return true
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
        if other.isEmpty { return self }
        return isEmpty ? other : NumberSet(ranges + other.ranges)
    }

    /// The numbers that are not in `other`.
    public func subtracting(_ other: NumberSet) -> NumberSet {
        var result = NumberSet()
        var holes = other.ranges[...]
        for range in ranges {
            holes = holes.drop { $0.upperBound < range.lowerBound }
            // What is left of the range after the holes so far; a hole may reach into the next range too.
            var rest: ClosedRange<Int>? = range
            for hole in holes {
                guard let left = rest, hole.lowerBound <= left.upperBound else { break }
                if hole.lowerBound > left.lowerBound { result.ranges.append(left.lowerBound...hole.lowerBound - 1) }
                rest = hole.upperBound < left.upperBound ? hole.upperBound + 1...left.upperBound : nil
            }
            if let rest { result.ranges.append(rest) }
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
        var ranges: [ClosedRange<Int>] = []
        while !container.isAtEnd {
            let pair = try container.decode([Int].self)
            guard pair.count == 2, pair[0] >= 1, pair[0] <= pair[1], pair[1] <= 1 << 53 else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected [first, last]")
            }
            ranges.append(pair[0]...pair[1])
        }
        self.init(ranges)
    }

    /// As pairs.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for range in ranges { try container.encode([range.lowerBound, range.upperBound]) }
    }
}
