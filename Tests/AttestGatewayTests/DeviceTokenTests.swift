import AttestGateway
import Crypto
import Messages
import Testing

@Suite("Device tokens")
struct DeviceTokenTests {
    static func keyID(_ bytes: [UInt8]) -> DeviceKeyID { DeviceKeyID(rawValue: Base64.standard.encode(bytes)) }

    static let device = AttestedDevice(
        organisation: "acme", app: "com.example.tunes", keyID: keyID([UInt8](100..<132)))
    static let token = DeviceToken(
        device: device, isDevelopment: false, generation: 7, expiresAt: .epoch + DeviceToken.lifetime)

    @Test(
        "A token tells device, app, organisation, environment, generation and end, whatever they are",
        arguments: [
            token,
            DeviceToken(device: device, isDevelopment: true, generation: .max, expiresAt: .epoch + .milliseconds(1)),
            DeviceToken(
                device: AttestedDevice(
                    organisation: OrganisationID(rawValue: String(repeating: "o", count: 64)),
                    app: AppID(rawValue: String(repeating: "a", count: 255)),
                    keyID: keyID([UInt8](repeating: 0xFF, count: 32))),
                isDevelopment: false, generation: 1, expiresAt: .distantFuture),
        ])
    func roundTrip(token: DeviceToken) {
        let text = token.text(sealedWith: .test(1))

        #expect(text.hasPrefix("dt_"))
        #expect(text.utf8.count <= 540)
        #expect(DeviceToken.read(text, at: .epoch, keys: .test(1)) == .good(token))
    }

    @Test("It is good for 90 days, to the millisecond", arguments: [(0, true), (-1, true), (1, false)])
    func expiry(milliseconds: Int, isGood: Bool) {
        let text = Self.token.text(sealedWith: .test(1))
        let time = Timestamp.epoch + .seconds(90 * 86_400) + .milliseconds(milliseconds - 1)

        #expect(DeviceToken.read(text, at: time, keys: .test(1)) == (isGood ? .good(Self.token) : .expired))
    }

    @Test("A new key takes over from an old one: what either has sealed is good, until the old one is taken away")
    func rotation() {
        let text = Self.token.text(sealedWith: .test(1))
        let newer = Self.token.text(sealedWith: .test(2, 1))

        #expect(newer == Self.token.text(sealedWith: .test(2)))
        #expect(DeviceToken.read(text, at: .epoch, keys: .test(2, 1)) == .good(Self.token))
        #expect(DeviceToken.read(newer, at: .epoch, keys: .test(2, 1)) == .good(Self.token))
        #expect(DeviceToken.read(text, at: .epoch, keys: .test(2)) == .malformed)
    }

    @Test("Not a bit of it can be changed, and nothing be added or left out")
    func forgeries() throws {
        let text = Self.token.text(sealedWith: .test(1))
        let bytes = try #require(Base64.url.decode(text.utf8.dropFirst(3)))
        var forgeries = bytes.indices.flatMap { index in
            (0..<8).map { bit in
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                return "dt_" + Base64.url.encode(changed)
            }
        }
        forgeries += (0..<bytes.count).map { "dt_" + Base64.url.encode(bytes.prefix($0)) }
        forgeries += [
            "dt_" + Base64.url.encode(bytes + [0]), text + "A", text + "=", String(text.dropFirst(3)), "DT_\(text)", "",
            "dt_", "dt_" + String(repeating: "A", count: 100_000), "dt_é",
        ]

        for text in forgeries {
            #expect(DeviceToken.read(text, at: .epoch, keys: .test(1)) == .malformed, "\(text)")
        }
        // One that has expired is first of all a forgery.
        #expect(DeviceToken.read(forgeries[0], at: .distantFuture, keys: .test(1)) == .malformed)
    }

    @Test("A challenge is no token")
    func otherPurpose() {
        #expect(DeviceToken.read("dt_" + ChallengeTests.issued(), at: .epoch, keys: .test(1)) == .malformed)
    }

    @Test("Whoever shows it is attested, but for a developer's device, whose word is as good as anybody's")
    func callers() {
        let development = DeviceToken(
            device: Self.device, isDevelopment: true, generation: 1, expiresAt: .distantFuture)

        #expect(Self.token.caller == .attested(Self.device))
        #expect(Self.token.caller.trust == .attested)
        #expect(development.caller == .development(Self.device))
        #expect(development.caller.trust == .unverified)
    }
}
