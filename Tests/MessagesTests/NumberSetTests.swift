import Messages
import TestSupport
import Testing

@Suite("Sets of numbers")
struct NumberSetTests {
    /// Random ranges within 1...limit.
    private func ranges(_ count: Int, within limit: Int, using random: inout SeededGenerator) -> [ClosedRange<Int>] {
        (0..<count).map { _ in
            let first = Int.random(in: 1...limit, using: &random)
            return first...min(limit, first + Int.random(in: 0...5, using: &random))
        }
    }

    private func plain(_ ranges: [ClosedRange<Int>]) -> Set<Int> { Set(ranges.flatMap { Array($0) }) }

    /// As a plain set; also that it is kept as it should be: ascending, apart, not empty.
    private func plain(_ set: NumberSet, seed: UInt64) -> Set<Int> {
        for (left, right) in zip(set.ranges, set.ranges.dropFirst()) {
            #expect(left.upperBound + 1 < right.lowerBound, "seed \(seed): \(set)")
        }
        let numbers = plain(set.ranges)
        #expect(set.count == numbers.count, "seed \(seed)")
        #expect(set.isEmpty == numbers.isEmpty, "seed \(seed)")
        #expect(set.max == numbers.max(), "seed \(seed)")
        return numbers
    }

    @Test("It is a set, whatever is put into it in whatever order", arguments: UInt64(1)...40)
    func inserting(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var set = NumberSet()
        var expected: Set<Int> = []
        for _ in 0..<120 {
            if Bool.random(using: &random) {
                let number = Int.random(in: 1...80, using: &random)
                let isNew = set.insert(number)
                #expect(isNew == expected.insert(number).inserted, "seed \(seed)")
            } else {
                let range = ranges(1, within: 80, using: &random)[0]
                set.insert(range)
                expected.formUnion(range)
            }
        }

        #expect(plain(set, seed: seed) == expected, "seed \(seed)")
        for number in -1...82 { #expect(set.contains(number) == expected.contains(number), "seed \(seed): \(number)") }
    }

    @Test("Union and difference are those of sets", arguments: UInt64(1)...60)
    func algebra(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let left = ranges(Int.random(in: 0...30, using: &random), within: 150, using: &random)
        let right = ranges(Int.random(in: 0...30, using: &random), within: 150, using: &random)
        let (a, b) = (NumberSet(left), NumberSet(right))

        #expect(plain(a.union(b), seed: seed) == plain(left).union(plain(right)), "seed \(seed)")
        #expect(plain(a.subtracting(b), seed: seed) == plain(left).subtracting(plain(right)), "seed \(seed)")
        #expect(a.subtracting(a).isEmpty && a.union(a) == a, "seed \(seed)")
    }

    @Test("As JSON it is pairs, and comes back the same", arguments: UInt64(1)...20)
    func json(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let set = NumberSet(ranges(20, within: 200, using: &random))

        let bytes = try MessageJSON.encode(set)

        #expect(try MessageJSON.decode(NumberSet.self, from: bytes) == set, "seed \(seed)")
        #expect(try MessageJSON.encode(NumberSet([1...40, 42...97])) == Array("[[1,40],[42,97]]".utf8))
    }

    @Test("Pairs in any order, also overlapping ones, are a set")
    func pairs() throws {
        let set = try MessageJSON.decode(NumberSet.self, from: Array("[[9,9],[1,4],[3,5],[6,6],[9,12]]".utf8))

        #expect(set == NumberSet([1...6, 9...12]))
    }

    @Test(
        "What are no pairs of numbers from 1 to 2^53 is refused",
        arguments: [
            "[[0,1]]", "[[-5,1]]", "[[2,1]]", "[[1]]", "[[1,2,3]]", "[[]]", "[1,2]", "{}", "null", "[[1,1.5]]",
            "[[1,9007199254740993]]", "[[1,9223372036854775807]]", "[[1,99999999999999999999]]", "[[\"1\",\"2\"]]",
        ])
    func hostile(text: String) {
        #expect(throws: DecodingError.self) { try MessageJSON.decode(NumberSet.self, from: Array(text.utf8)) }
    }

    @Test("Half a million pairs in the worst order are read within the patience of a lane", .timeLimit(.minutes(1)))
    func worstOrder() throws {
        let count = 500_000
        let set = NumberSet((1...count).reversed().map { $0 * 2...$0 * 2 })

        #expect(set.count == count)
        #expect(set.subtracting(NumberSet([1...count * 2 + 1])).isEmpty)
        #expect(NumberSet([1...count * 2]).subtracting(set).count == count)
    }

    @Test("The ends of what a number holds do not trap")
    func extremes() {
        var set = NumberSet([Int.max...Int.max, Int.min...Int.min])

        let areNew = [Int.max, 5, .max - 1, .min + 1].map { set.insert($0) }
        set.insert(Int.min...Int.min + 2)
        #expect(areNew == [false, true, true, true])
        #expect(set.ranges == [Int.min...Int.min + 2, 5...5, Int.max - 1...Int.max])
        #expect(NumberSet([1...Int.max]).subtracting(set).ranges == [1...4, 6...Int.max - 2])
        #expect(NumberSet([1...10]).subtracting(NumberSet([3...Int.max])).ranges == [1...2])
    }
}
