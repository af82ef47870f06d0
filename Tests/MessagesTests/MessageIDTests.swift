import Foundation
import Messages
import TestSupport
import Testing

@Suite("Message ids")
struct MessageIDTests {
    static let time = Timestamp(clamping: 0x0193_7B6E_2F0A)

    /// The 16 bytes of an id that is a UUID.
    private func bytes(_ id: MessageID) throws -> [UInt8] {
        let uuid = try #require(UUID(uuidString: id.rawValue)).uuid
        return withUnsafeBytes(of: uuid) { Array($0) }
    }

    @Test("A new id is a version 7 UUID of its time", arguments: 0..<50)
    func version7(_: Int) throws {
        let id = MessageID(at: Self.time)
        let bytes = try bytes(id)

        #expect(Array(bytes[0..<6]) == [0x01, 0x93, 0x7B, 0x6E, 0x2F, 0x0A])
        #expect(bytes[6] >> 4 == 7)
        #expect(bytes[8] >> 6 == 0b10)
        #expect(id.rawValue == id.rawValue.lowercased())
    }

    @Test("New ids of one moment differ, in all of their 74 random bits")
    func random() throws {
        let ids = (0..<2000).map { _ in MessageID(at: Self.time) }
        var ones = [UInt8](repeating: 0, count: 16)
        var zeros = [UInt8](repeating: 0, count: 16)
        for id in ids {
            for (index, byte) in try bytes(id).enumerated() {
                ones[index] |= byte
                zeros[index] |= ~byte
            }
        }

        #expect(Set(ids).count == ids.count)
        let varying = zip(ones, zeros).map { ($0 & $1).nonzeroBitCount }
        #expect(varying.reduce(0, +) == 74)
    }

    @Test("Ids of later times are greater texts, so that an index grows at its end")
    func order() {
        let times = [0, 1, 255, 256, 1_796_026_500_250, 1_796_026_500_251, 253_402_300_799_999] as [Int64]
        let ids = times.map { MessageID(at: Timestamp(clamping: $0)).rawValue }

        #expect(ids == ids.sorted())
    }

    @Test("A derived id has its cause's time bits and is the same each time")
    func derived() throws {
        let cause = MessageID(at: Self.time)
        let digest = (0..<32).map { UInt8($0) }

        let id = MessageID(following: cause, digest: digest)

        #expect(id == MessageID(following: cause, digest: digest))
        #expect(id != MessageID(following: cause, digest: digest.reversed()))
        #expect(try bytes(id) == Array(try bytes(cause)[0..<6]) + [0x76, 7, 0x88, 9, 10, 11, 12, 13, 14, 15])
    }

    @Test("The id of an occasion is the same each time")
    func occasion() {
        let digest = [UInt8](repeating: 0xFF, count: 32)

        #expect(MessageID(at: Self.time, digest: digest) == MessageID(at: Self.time, digest: digest))
        #expect(
            MessageID(at: Self.time, digest: digest).rawValue == "01937b6e-2f0a-7fff-bfff-ffffffffffff")
    }

    @Test(
        "A cause that is no UUID has stable descendants too",
        arguments: [
            "", "42", "sha256:9f86d081884c7d65", "01937B6E-2F0A-7FFF-BFFF-FFFFFFFFFFFF",
            "01937b6e2f0a7fffbfffffffffffffff",
            "\u{0}", "é", String(repeating: "x", count: 100_000), "{01937b6e-2f0a-7fff-bfff-ffffffffffff}",
            "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz", "-0193-7b6e-2f0a-7fff-bfffffffffffff",
        ])
    func strangersCause(text: String) throws {
        let digest = [UInt8](repeating: 1, count: 32)
        let cause = MessageID(rawValue: text)

        let id = MessageID(following: cause, digest: digest)

        #expect(id == MessageID(following: cause, digest: digest))
        #expect(try bytes(id)[6] >> 4 == 7)
        #expect(cause.rawValue == text)
    }

    @Test(
        "Times that can be written all fit, the ones before 1970 too",
        arguments: [Timestamp.distantPast, .distantFuture])
    func extremes(time: Timestamp) throws {
        #expect(try bytes(MessageID(at: time))[6] >> 4 == 7)
    }
}
