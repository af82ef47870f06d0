import Crypto
import Testing

@Suite("Digests and codes")
struct DigestTests {
    @Test("SHA-256 and SHA-1 give the published values (FIPS 180-2, appendices A and B)")
    func digests() {
        #expect(
            Digest.sha256("abc".utf8).hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest.sha256([]).hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Digest.sha1("abc".utf8).hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    @Test("Bytes that are not in one piece have the same digest")
    func pieces() {
        let bytes = [UInt8](0..<200)

        #expect(Digest.sha256(bytes.reversed().reversed()) == Digest.sha256(bytes))
        #expect(Digest.sha256(bytes[10..<20]) == Digest.sha256(Array(bytes[10..<20])))
    }

    @Test(
        "HMAC-SHA256 gives the published values (RFC 4231, cases 1, 2 and 6)",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func codes(key: [UInt8], message: String, expected: String) {
        #expect(HMACSHA256.code(for: message.utf8, key: key).hexadecimal == expected)
    }

    @Test("A code is valid for its own message and key only, and only as a whole")
    func validity() {
        let key = RandomBytes.make(32)
        let code = HMACSHA256.code(for: "message".utf8, key: key)

        #expect(HMACSHA256.isValid(code, for: "message".utf8, key: key))
        #expect(!HMACSHA256.isValid(code, for: "massage".utf8, key: key))
        #expect(!HMACSHA256.isValid(code, for: "message".utf8, key: RandomBytes.make(32)))
        #expect(!HMACSHA256.isValid(code.dropLast(), for: "message".utf8, key: key))
        #expect(!HMACSHA256.isValid([], for: "message".utf8, key: key))
    }

    @Test("Secrets are equal when all bytes are")
    func constantTime() {
        #expect([1, 2, 3].isEqualInConstantTime(to: [1, 2, 3]))
        #expect([UInt8]().isEqualInConstantTime(to: []))
        #expect(![1, 2, 3].isEqualInConstantTime(to: [1, 2, 4]))
        #expect(![1, 2, 3].isEqualInConstantTime(to: [1, 2]))
    }

    @Test("Random bytes come in the number that was asked for, and differ")
    func randomness() {
        #expect(RandomBytes.make(0).isEmpty)
        #expect(RandomBytes.make(33).count == 33)
        #expect(RandomBytes.make(16) != RandomBytes.make(16))
    }
}
