import Crypto
import Foundation
import Messages
import Synchronization
import Testing
import TestSupport
import Tollgate

@Suite("tollgate apps add")
struct AppsAddTests {
    /// A registry with one app, which takes tokens as the real one does.
    private final class Registry: Sendable {
        private let state = Mutex<(puts: [AppPut], tokens: [NotificationToken])>(([], []))

        var puts: [AppPut] { state.withLock { $0.puts } }

        func answer(_ body: [UInt8]) -> Answer<AppRecord>? {
            guard let put = try? MessageJSON.decode(AppPut.self, from: body) else { return nil }
            return state.withLock { state in
                state.puts.append(put)
                if let digest = put.notificationTokenDigest {
                    let end = put.oldNotificationTokenSeconds.map { CommandTests.time + .seconds($0) }
                    if state.tokens.isEmpty || end != nil {
                        let old = state.tokens.map { NotificationToken(digest: $0.digest, until: end) }
                        state.tokens = [NotificationToken(digest: digest)] + old
                    }
                }
                return .applied(
                    AppRecord(
                        organisation: put.organisation, app: put.app, purchaseKeys: put.purchaseKeys,
                        teamID: put.teamID, appleID: put.appleID, notificationTokens: state.tokens, version: 1,
                        changedAt: CommandTests.time))
            }
        }
    }

    private static let words = ["apps", "add", "--app", "com.example.tunes"]

    private static func with(
        _ body: @Sendable (_ registry: Registry, _ run: @Sendable ([String]) async -> Tool.Ending) async throws -> Void
    ) async throws {
        let installation = FakeInstallation()
        let registry = Registry()
        try await installation.answering(.attestGateway) { _, body in
            registry.answer(body)
        } while: {
            try await body(registry) { await installation.tool(Self.words + $0) }
        }
    }

    private static func digest(ofPathIn text: String) -> String? {
        let path = text.split(whereSeparator: { " \n\"".contains($0) }).first {
            $0.hasPrefix("/apple/v2/notifications/nt_")
        }
        return path?.split(separator: "/").last.map { Digest.sha256($0.utf8).hexadecimal }
    }

    @Test("A new app's path for notifications is shown once; only the digest of what is in it is sent")
    func token() async throws {
        try await Self.with { registry, run in
            let first = await run([])
            let again = await run([])

            #expect(first.status == .success)
            #expect(first.output.contains("shown this once"))
            #expect(Self.digest(ofPathIn: first.output) == registry.puts[0].notificationTokenDigest)
            #expect(registry.puts[0].oldNotificationTokenSeconds == nil)
            #expect(Self.digest(ofPathIn: again.output) == nil)
            #expect(again.output.contains("only whoever noted it knows it"))
        }
    }

    @Test("For programs the path stands beside the record, once")
    func json() async throws {
        try await Self.with { registry, run in
            let first = await run(["--json"])
            let again = await run(["--json"])

            struct Added: Decodable {
                let app: String
                let notificationPath: String?
            }
            let added = try JSONDecoder().decode(Added.self, from: Data(first.output.utf8))
            #expect(added.app == "com.example.tunes")
            #expect(Self.digest(ofPathIn: added.notificationPath ?? "") == registry.puts[0].notificationTokenDigest)
            #expect(try JSONDecoder().decode(Added.self, from: Data(again.output.utf8)).notificationPath == nil)
        }
    }

    @Test(
        "Another path is made where that is asked for; the old one is good for a day, or as long as is said",
        arguments: [
            ([], 86_400), (["--old-notification-token", "0s"], 0), (["--old-notification-token", "2h"], 7200),
        ])
    func rotate(options: [String], seconds: Int) async throws {
        try await Self.with { registry, run in
            _ = await run([])
            let rotated = await run(["--rotate-notification-token"] + options)

            #expect(rotated.status == .success)
            #expect(Self.digest(ofPathIn: rotated.output) == registry.puts[1].notificationTokenDigest)
            #expect(registry.puts[1].oldNotificationTokenSeconds == seconds)
            #expect(rotated.output.contains("the old path is good until"))
        }
    }

    @Test(
        "What does not go together, or is no value, is said before anything is sent",
        arguments: [
            (["--old-notification-token", "1h"], "--old-notification-token needs --rotate-notification-token"),
            (["--rotate-notification-token", "--old-notification-token", "721h"], "at most 720h"),
            (["--team-id", "a1b2c3d4e5"], "expected 10 capital letters and digits"),
            (["--apple-id", "0"], "expected a number above 0"),
        ])
    func usage(options: [String], complaint: String) async throws {
        try await Self.with { registry, run in
            let ending = await run(options)

            #expect(ending.status == .usage)
            #expect(ending.complaint.contains(complaint), "\(ending.complaint)")
            #expect(registry.puts.isEmpty)
        }
    }

    @Test("Where nobody answers, the path is shown all the same: the command may be applied later")
    func unavailable() async throws {
        let installation = FakeInstallation()

        let ending = await installation.tool(Self.words + ["--timeout", "200ms"])

        #expect(ending.status == .unavailable)
        let sent = try #require(installation.broker.waiting(in: "attest-gateway.0").first)
        let put = try MessageJSON.decode(AppPut.self, from: sent.body)
        #expect(Self.digest(ofPathIn: ending.complaint) == put.notificationTokenDigest)
    }

    @Test("A key for purchases is taken in every spelling in which stores hand it out")
    func purchaseKeys() async throws {
        let key = try PrivateKey.generate(.rsa2048).publicKey
        let der = try key.der
        let line = Data(der).base64EncodedString()
        let pem = Self.pem("PUBLIC KEY", der)
        // RSAPublicKey (RFC 8017 § A.1.1) is what is left behind the algorithm's name.
        let pkcs1 = Self.pem("RSA PUBLIC KEY", Array(der.dropFirst(24)))
        let escaped = pem.replacing("\n", with: "\\r\\n")
        let spellings = [
            pem, "\"\(escaped)\"", "\"\(escaped.replacing("/", with: "\\/"))\"", line, "\"\(line)\"", line + "\n",
            pkcs1,
            pem.replacing("\n", with: "\r\n"), "\"\(pem.replacing("\n", with: "\\n"))\"",
        ]
        let folder = TemporaryFolder()
        let files = try (spellings.map { Array($0.utf8) } + [der]).enumerated().map { index, bytes in
            try folder.write(bytes, to: "key\(index)")
        }
        try await Self.with { registry, run in
            for file in files {
                let ending = await run(["--purchase-key", file])
                #expect(ending.status == .success, "\(ending.complaint)")
            }
            #expect(registry.puts.map(\.purchaseKeys) == files.map { _ in [line] })
            let both = await run(["--purchase-key", files[0], "--purchase-key", files[1]])
            let none = await run(["--no-purchase-keys"])

            #expect(both.status == .success && none.status == .success)
            #expect(registry.puts.suffix(2).map(\.purchaseKeys) == [[line, line], []])
        }
    }

    @Test("What is no public RSA key of at least 2048 bits is named before anything is sent")
    func unfitKeys() async throws {
        let folder = TemporaryFolder()
        let curve = try PrivateKey.generate().publicKey.der
        let good = Data(try PrivateKey.generate(.rsa2048).publicKey.der).base64EncodedString()
        let texts = ["", "no key", "{\"key\":\"\(good)\"}", String(good.dropLast(8)), Self.pem("PUBLIC KEY", curve)]
        try await Self.with { registry, run in
            for (index, text) in texts.enumerated() {
                let file = try folder.write(Array(text.utf8), to: "key\(index)")
                let ending = await run(["--purchase-key", file])
                #expect(ending.status == .failed, "\(text)")
                #expect(ending.complaint.contains("\(file) is no key for purchases"), "\(ending.complaint)")
            }
            let absent = await run(["--purchase-key", folder.path + "/none"])
            let file = try folder.write(Array(good.utf8), to: "good")
            let contradiction = await run(["--purchase-key", file, "--no-purchase-keys"])

            #expect(absent.complaint.contains("cannot read"))
            #expect(contradiction.status == .usage)
            #expect(registry.puts.isEmpty)
        }
    }

    private static func pem(_ name: String, _ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(name)-----\n\(text)\n-----END \(name)-----\n"
    }
}
