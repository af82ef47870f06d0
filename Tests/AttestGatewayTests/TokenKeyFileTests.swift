import AttestGateway
import Crypto
import Foundation
import Messages
import ServiceKit
import TestSupport
import Testing

@Suite("The file of the edges' keys")
struct TokenKeyFileTests {
    let folder = TemporaryFolder()
    var path: String { folder.path + "/edge/token-keys" }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/edge", withIntermediateDirectories: true)
        let isMade = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        try #require(isMade)
    }

    private func seal(_ keys: TokenKeys) -> String {
        Challenge.make(random: ChallengeTests.random, at: .epoch, sealedWith: keys)
    }

    @Test("It is made at the first start, for its owner alone, and read at every other")
    func made() throws {
        let first = try TokenKeyFile(path).keys()
        let second = try TokenKeyFile(path).keys()

        #expect(seal(first) == seal(second))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/edge") == ["token-keys"])
        #expect(seal(try TokenKeyFile(folder.path + "/other").keys()) != seal(first))
    }

    @Test("Edges that start at once end with the same keys")
    func atOnce() async throws {
        for round in 0..<20 {
            let path = folder.path + "/\(round)"
            let seals = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { self.seal(try TokenKeyFile(path).keys()) } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(seals.count == 1)
        }
    }

    @Test("Two keys, with remarks and empty lines: the first seals, both are good")
    func twoKeys() throws {
        let lines = [2, 1].map { Base64.standard.encode([UInt8](repeating: $0, count: 32)) }
        try write("# new\r\n\(lines[0])\n\n# old, good until March\n\(lines[1])\n")

        let keys = try TokenKeyFile(path).keys()

        #expect(seal(keys) == seal(.test(2)))
        #expect(Challenge.read(seal(.test(1)), at: .epoch, keys: keys) != .unknown)
        #expect(keys.fingerprints == TokenKeys.test(2, 1).fingerprints)
        #expect(Set(keys.fingerprints).count == 2)
    }

    @Test(
        "Anything else is an error that names setting and file, and is left as it is",
        arguments: [
            "", "# no key\n", "AAAA\n", "not base64 at all, and quite long enough for a key of 32 bytes",
            String(repeating: Base64.standard.encode([UInt8](repeating: 1, count: 32)) + "\n", count: 3),
            Base64.standard.encode([UInt8](repeating: 1, count: 31)), "\u{0}",
            String(repeating: "# long\n", count: 1000) + Base64.standard.encode([UInt8](repeating: 1, count: 32)),
        ])
    func damaged(text: String) throws {
        try write(text)

        let error = #expect(throws: SettingsError.self) { try TokenKeyFile(path).keys() }

        #expect(error?.name == "TOLLGATE_TOKEN_KEYS")
        #expect(error?.value == path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test("A file that everybody may read is refused", arguments: [0o604, 0o644, 0o602])
    func open(mode: Int) throws {
        _ = try TokenKeyFile(path).keys()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)

        let error = #expect(throws: SettingsError.self) { try TokenKeyFile(path).keys() }

        #expect(error?.expectation.contains("chmod 600") == true)
    }

    @Test("Where no file can be made, that is said")
    func noFolder() throws {
        try write("in the way")

        let error = #expect(throws: SettingsError.self) { try TokenKeyFile(path + "/token-keys").keys() }

        #expect(error?.name == "TOLLGATE_TOKEN_KEYS")
    }
}
