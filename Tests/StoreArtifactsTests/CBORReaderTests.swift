import Crypto
import Foundation
import StoreArtifacts
import TestSupport
import Testing

@Suite("CBOR")
struct CBORReaderTests {
    /// RFC 8949 appendix A, as far as it has definite lengths.
    static let examples: [(hex: String, value: CBORValue)] = [
        ("00", .unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("190100", .unsigned(256)),
        ("1a000f4240", .unsigned(1_000_000)), ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)),
        ("3863", .negative(99)), ("3bffffffffffffffff", .negative(.max)), ("f90001", .float(5.960464477539063e-8)),
        ("f93c00", .float(1)), ("f97bff", .float(65504)), ("f9c400", .float(-4)), ("f97c00", .float(.infinity)),
        ("fa47c35000", .float(100_000)), ("fb3ff199999999999a", .float(1.1)), ("f4", .boolean(false)),
        ("f5", .boolean(true)), ("f6", .null), ("f7", .undefined),
        ("c11a514b67b0", .tagged(1, .unsigned(1_363_896_240))),
        ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("62c3bc", .text("ü")),
        ("64f0908591", .text("𐅑")), ("80", .array([])),
        (
            "8301820203820405",
            .array([.unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)])])
        ),
        ("a0", .map([:])), ("a201020304", .map([.unsigned(1): .unsigned(2), .unsigned(3): .unsigned(4)])),
        ("a26161016162820203", .map([.text("a"): .unsigned(1), .text("b"): .array([.unsigned(2), .unsigned(3)])])),
    ]

    static let faults: [(hex: String, problem: CBORError.Problem, offset: Int)] = [
        ("", .unexpectedEnd, 0), ("18", .unexpectedEnd, 1), ("1900", .unexpectedEnd, 1), ("4101ff", .trailingBytes, 2),
        ("4201", .unexpectedEnd, 1), ("5bffffffffffffffff00", .unexpectedEnd, 9), ("7affffffff61", .unexpectedEnd, 5),
        ("9bffffffffffffffff00", .unexpectedEnd, 9), ("bbffffffffffffffff00", .unexpectedEnd, 9),
        ("9a00010000f6", .unexpectedEnd, 5), ("a161", .unexpectedEnd, 2), ("a10102ff", .trailingBytes, 3),
        ("a201020102", .duplicateKey, 3), ("a20102180102", .duplicateKey, 3), ("a2616101616102", .duplicateKey, 4),
        ("a2400140f6", .duplicateKey, 3), ("a18001", .unsupportedKey, 1), ("a1f401", .unsupportedKey, 1),
        ("61ff", .invalidUTF8, 1), ("62c080", .invalidUTF8, 1), ("63eda080", .invalidUTF8, 1),
        ("5f42010243030405ff", .indefiniteLength, 0), ("7f61 61ff", .indefiniteLength, 0),
        ("9fff", .indefiniteLength, 0),
        ("bf6161 01ff", .indefiniteLength, 0), ("ff", .indefiniteLength, 0), ("1c", .reserved, 0), ("5d", .reserved, 0),
        ("f8ff", .reserved, 0), ("f0", .reserved, 0), ("fc", .reserved, 0),
    ]

    @Test("The examples of RFC 8949 are read, and whatever is cut from them is not", arguments: examples)
    func example(hex: String, value: CBORValue) throws {
        let bytes = try #require(Self.bytes(hex))

        #expect(try Self.read(bytes) == value)

        for count in bytes.indices {
            #expect(throws: CBORError.self) { try Self.read(Array(bytes.prefix(count))) }
        }
    }

    @Test("What is wrong is named, with its place", arguments: faults)
    func fault(hex: String, problem: CBORError.Problem, offset: Int) throws {
        let bytes = try #require(Self.bytes(hex))

        let error = #expect(throws: CBORError.self) { try Self.read(bytes) }

        #expect(error?.problem == problem)
        #expect(error?.offset == offset)
    }

    @Test("It nests as deep as is allowed and no deeper", arguments: [0x81, 0xC1] as [UInt8])
    func depth(opening: UInt8) throws {
        #expect(throws: Never.self) { try Self.read([UInt8](repeating: opening, count: 16) + [0]) }

        let tooDeep = #expect(throws: CBORError.self) {
            try Self.read([UInt8](repeating: opening, count: 90_000) + [0])
        }

        #expect(tooDeep?.problem == .tooDeep)
        #expect(tooDeep?.offset == 16)
    }

    @Test("Neither more items nor more bytes are read than the caller wants")
    func limits() throws {
        let many = #expect(throws: CBORError.self) {
            try Self.read([0x99, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 65535))
        }
        let large = #expect(throws: CBORError.self) { try Self.read([UInt8](repeating: 0, count: 100_001)) }

        #expect(many?.problem == .tooManyItems)
        #expect(large?.problem == .tooLarge)
    }

    @Test("Items can be read one behind the other, from the middle of something")
    func sequence() throws {
        let bytes: [UInt8] = [0xFF, 0x01, 0xA0, 0xFF]
        var reader = try CBORReader(bytes[1...], limits: .init(bytes: 10))

        #expect(try reader.item() == .unsigned(1))
        #expect(try reader.item() == .map([:]))
        #expect(!reader.isAtEnd)

        let error = #expect(throws: CBORError.self) { try reader.end() }
        #expect(error?.offset == 2)
    }

    @Test("Whatever the bytes are, there is an answer", arguments: [1, 2, 3] as [UInt64])
    func noise(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            // Errors are as good as values here: what counts is that the reader comes back.
            _ = try? Self.read(
                (0..<Int.random(in: 0..<40, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
        }
    }

    private static func read(_ bytes: [UInt8]) throws(CBORError) -> CBORValue {
        try CBORReader.item(bytes[...], limits: .init(bytes: 100_000))
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = Array(hex.utf8.filter { $0 != UInt8(ascii: " ") })
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
