import Messages
import Testing

@Suite("Buckets and partitions")
struct BucketTests {
    @Test("The checksum is CRC-32 as everybody computes it")
    func checkValue() {
        #expect(CRC32.checksum("123456789".utf8) == 0xCBF4_3926)
        #expect(CRC32.checksum("".utf8) == 0)
    }

    /// Computed with Python 3: `zlib.crc32(key.encode()) % 64`.
    @Test(
        "Python's one line finds the same bucket",
        arguments: [
            ("", 0), ("123456789", 38), ("acme/2000000123456789", 18), ("acme/user-42", 45), ("acme/Zoë", 62),
            ("組織/ユーザー", 42), ("👋", 5), (String(repeating: "a", count: 1000), 3), ("registry", 10), ("\u{0}", 13),
        ])
    func python(key: String, bucket: Int) {
        #expect(Bucket(of: key).number == bucket)
    }

    @Test("Texts that look the same and have other bytes are other keys")
    func bytes() {
        #expect(Bucket(of: "é") != Bucket(of: "e\u{301}"))
        #expect(AppUserID(rawValue: "é") != AppUserID(rawValue: "e\u{301}"))
        #expect(Set([AppUserID(rawValue: "é"), AppUserID(rawValue: "e\u{301}"), AppUserID(rawValue: "é")]).count == 2)
        #expect(BrokerUser(rawValue: "K") != BrokerUser(rawValue: "\u{212A}"))
    }

    @Test("A bucket is 0 to 63", arguments: [Int.min, -1, 64, Int.max])
    func outside(number: Int) {
        #expect(Bucket(number) == nil)
        #expect(throws: DecodingError.self) { try MessageJSON.decode([Bucket].self, from: Array("[\(number)]".utf8)) }
    }

    @Test("A bucket is written as its number, and all 64 are there")
    func all() throws {
        #expect(Bucket.all.map(\.number) == Array(0..<64))
        #expect(try MessageJSON.encode([Bucket.all[7]]) == Array("[7]".utf8))
        #expect(Bucket.all.allSatisfy { Bucket($0.number) == $0 })
        #expect(Bucket.all.shuffled().sorted() == Bucket.all)
    }

    @Test("A count of partitions is a power of two up to 64")
    func counts() {
        let good = (-70...200).filter { PartitionCount(rawValue: $0) != nil }

        #expect(good == [1, 2, 4, 8, 16, 32, 64])
        #expect(PartitionCount(rawValue: .min) == nil)
        #expect(PartitionCount(rawValue: .max) == nil)
    }

    @Test("Every bucket has one owner, whatever the count", arguments: [1, 2, 4, 8, 16, 32, 64])
    func owners(count: Int) throws {
        let partitions = try #require(PartitionCount(rawValue: count))

        let owned = (0..<count).map { partitions.buckets(of: $0) }

        #expect(owned.flatMap { $0 }.sorted() == Bucket.all)
        for (number, buckets) in owned.enumerated() {
            #expect(buckets.count == 64 / count)
            for bucket in buckets {
                #expect(bucket.partition(of: partitions) == number)
                #expect(bucket.number % count == number)
            }
        }
    }

    @Test("A partition that does not exist owns nothing", arguments: [-1, 4, 64])
    func noPartition(number: Int) throws {
        #expect(try #require(PartitionCount(rawValue: 4)).buckets(of: number) == [])
    }
}
