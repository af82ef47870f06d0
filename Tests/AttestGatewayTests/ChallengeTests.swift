import AttestGateway
import Crypto
import Messages
import Testing

extension TokenKeys {
    /// A key of each byte.
    static func test(_ bytes: UInt8...) -> TokenKeys {
        guard let keys = TokenKeys(bytes.map { [UInt8](repeating: $0, count: 32) }) else {
            preconditionFailure("one or two")
        }
        return keys
    }
}

@Suite("Challenges")
struct ChallengeTests {
    static let random = [UInt8](0..<16)

    static func issued(with keys: TokenKeys = .test(1)) -> String {
        Challenge.make(random: random, at: .epoch, sealedWith: keys)
    }

    @Test("A challenge is one unpadded base64url text, and another with other random bytes")
    func form() {
        let text = Self.issued()
        let other = Challenge.make(random: [UInt8](1..<17), at: .epoch, sealedWith: .test(1))

        #expect(text.utf8.count == 76)
        #expect(text.utf8.allSatisfy { UInt8(ascii: "-") == $0 || UInt8(ascii: "_") == $0 || isAlphanumeric($0) })
        #expect(text != other)
    }

    @Test(
        "It is good for five minutes, to the millisecond",
        arguments: [(-1, true), (0, true), (299_999, true), (300_000, false), (86_400_000, false)])
    func expiry(milliseconds: Int, isGood: Bool) {
        let reading = Challenge.read(Self.issued(), at: .epoch + .milliseconds(milliseconds), keys: .test(1))

        let end = Timestamp.epoch + .seconds(300)
        #expect(reading == (isGood ? .good(until: end) : .expired(since: end)))
    }

    @Test("It is good wherever one of the keys has sealed it, and nowhere else")
    func keys() {
        let text = Self.issued(with: .test(1))
        func isGood(_ keys: TokenKeys) -> Bool {
            if case .good = Challenge.read(text, at: .epoch, keys: keys) { true } else { false }
        }

        #expect(
            [TokenKeys.test(1), .test(1, 2), .test(2, 1), .test(2), .test(2, 3)].map(isGood) == [
                true, true, true, false, false,
            ])
    }

    @Test("Not a bit of it can be changed, and nothing be added or left out")
    func forgeries() throws {
        let bytes = try #require(Base64.url.decode(Self.issued().utf8))
        var forgeries = bytes.indices.flatMap { index in
            (0..<8).map { bit in
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                return Base64.url.encode(changed)
            }
        }
        forgeries += (0..<bytes.count).map { Base64.url.encode(bytes.prefix($0)) }
        forgeries += [
            Base64.url.encode(bytes + [0]), Self.issued() + "=", Self.issued() + "A", " " + Self.issued(), "",
            "challenge", String(repeating: "A", count: 256), String(repeating: "é", count: 76),
        ]

        for text in forgeries {
            #expect(Challenge.read(text, at: .epoch, keys: .test(1)) == .unknown, "\(text)")
        }
    }

    @Test("A device token is no challenge")
    func otherPurpose() throws {
        let token = DeviceTokenTests.token.text(sealedWith: .test(1))

        #expect(Challenge.read(String(token.dropFirst(3)), at: .epoch, keys: .test(1)) == .unknown)
    }
}

private func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
}
