import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing
import TestSupport
import Tollgate

@Suite("tollgate verify")
struct VerifyTests {
    static let authority = Result { try TestAuthority.make() }
    let folder = TemporaryFolder()

    /// Runs the tool as an operator who has no installation at all.
    func verify(_ words: String...) async -> Tool.Ending {
        await Tool(in: Surroundings(environment: [:])).run(["verify"] + words)
    }

    func report(_ ending: Tool.Ending) throws -> ArtifactReport {
        try JSONDecoder().decode(ArtifactReport.self, from: Data(ending.output.utf8))
    }

    func root() throws -> String { try folder.write(Self.authority.get().rootPEM, to: "root.pem") }

    func transaction(signedAt date: Date = .now - 60, product: String = "pro.monthly") throws -> String {
        var store = SimulatedStore(bundleID: "com.example.tunes")
        return try Self.authority.get().signTransaction(store.buy(.subscription(product), at: date).latest)
    }

    // MARK: Verdicts

    @Test("What is verified is exit 0, with a page that says who signed, what was looked at and what it says")
    func verified() async throws {
        let file = try folder.write(try transaction())

        let ending = await verify(
            "--root", try root(), "--bundle-id", "com.example.tunes", "--environment", "sandbox", file)

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(ending.output.hasPrefix("transaction: verified\n"))
        for line in [
            "  signed by      Tollgate Test Signer", "  certified by   Tollgate Test Intermediate",
            "  passed       chain",
            "  passed       metadata", "  productId                    pro.monthly",
        ] { #expect(ending.output.contains(line), "\(line)") }
        #expect(ending.output.contains("not below one of Apple's"))
        #expect(ending.complaint.isEmpty)
    }

    @Test("What is refused is exit 1, with the step, the reason and what to do; nothing of it is to be believed")
    func refused() async throws {
        let file = try folder.write(try transaction())

        let ending = await verify(file)

        #expect(ending.status == .failed)
        #expect(ending.output.hasPrefix("transaction: REFUSED (untrusted_chain, step chain)\n"))
        #expect(ending.output.contains("What to do: if an authority of your own signed it, name its root by --root"))
        #expect(ending.output.contains("  FAILED       chain"))
        #expect(ending.output.contains("  not checked  signature: not reached"))
        #expect(ending.output.contains("says it is by  Tollgate Test Signer"))
        #expect(ending.output.contains("What it says, none of which is to be believed"))
    }

    @Test("What is signed later than now is exit 2")
    func retryable() async throws {
        let file = try folder.write(try transaction(signedAt: .now + 3_600))

        let ending = await verify("--root", try root(), file)

        #expect(ending.status == .unavailable)
        #expect(ending.output.hasPrefix("transaction: NOT YET (signed_in_future)"))
    }

    @Test("For programs it is one object on one line, with the same members whatever the verdict is")
    func json() async throws {
        let file = try folder.write(try transaction())

        let verified = await verify("--json", "--root", try root(), file)
        let refused = await verify("--json", file)

        for ending in [verified, refused] {
            let object = try JSONObject(Array(ending.output.utf8))
            #expect(
                object.names.sorted() == [
                    "checks", "environment", "fields", "kind", "message", "reason", "step", "trust", "verdict",
                ])
            #expect(!ending.output.contains("\n"))
        }
        let report = try report(verified)
        #expect(report.verdict == .verified && report.trust == .test && report.environment == "sandbox")
        #expect(report.fields["productId"] == .string("pro.monthly"))
        #expect(try self.report(refused).reason == .untrustedChain)
    }

    @Test("Another kind than was asked for is named, with what was expected")
    func wrongKind() async throws {
        let file = try folder.write(try transaction())

        let ending = await verify("--kind", "receipt", "--root", try root(), file)

        #expect(ending.status == .failed)
        #expect(ending.output.hasPrefix("transaction: REFUSED (malformed, step kind)\n"))
        #expect(ending.output.contains("a signed transaction (JWS) where an App Store receipt (PKCS#7) is expected"))
    }

    // MARK: Receipts, notifications, purchases

    @Test("A receipt is of a device or not, and shows what was bought")
    func receipt() async throws {
        var design = ReceiptDesign(bundleID: "com.example.tunes", createdAt: .now - 60)
        design.purchases = (0..<20).map {
            ReceiptPurchase(of: "pro.\($0)", transactionID: "\(2_000_000 + $0)", purchaseDate: .now - 3_600)
        }
        let file = try folder.write(Base64.standard.encode(try Self.authority.get().signReceipt(design)))
        let device = design.deviceIdentifier.hexadecimal

        let good = await verify("--root", try root(), "--device-id", device, "--bundle-id", "com.example.tunes", file)
        let json = await verify("--json", "--root", try root(), file)
        let other = await verify("--root", try root(), "--device-id", "112233445566", file)
        let forged = await verify(file)

        #expect(good.status == .success, "\(good.output)")
        #expect(good.output.contains("  passed       device_hash"))
        #expect(good.output.contains("  not checked  intermediate_marker: demanded below Apple's roots only"))
        #expect(good.output.contains("in_app: 12 more; --json shows all"))
        #expect(good.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        guard case .array(let purchases) = try report(json).fields["in_app"] else {
            Issue.record("no purchases")
            return
        }
        #expect(purchases.count == 20 && purchases[0]["transaction_id"] == .string("2000000"))
        #expect(other.status == .failed && other.output.contains("REFUSED (device_hash_mismatch, step device_hash)"))
        #expect(forged.status == .failed && forged.output.contains("(untrusted_chain, step chain)"))
    }

    @Test("A notification is verified with what it carries")
    func notification() async throws {
        var store = SimulatedStore(bundleID: "com.example.tunes")
        var design = NotificationDesign(
            "SUBSCRIBED", "INITIAL_BUY", uuid: "6f7d6c0e-6a86-4ad5-a3a6-5a5e5d7f4f11", signedDate: .now - 60,
            members: ["bundleId": .string("com.example.tunes"), "environment": .string("Sandbox")])
        design.transaction = store.buy(.subscription("pro.monthly"), at: .now - 60).latest
        let file = try folder.write(
            TestAuthority.requestBody(of: try Self.authority.get().signNotification(design)))

        let ending = await verify("--json", "--root", try root(), "--bundle-id", "com.example.tunes", file)

        let report = try report(ending)
        #expect(ending.status == .success, "\(ending.output)")
        #expect(report.kind == .notification)
        #expect(report.fields["signedTransactionInfo"]?["productId"] == .string("pro.monthly"))
        #expect(report.checks.contains(.init("transaction.signature", .passed)))
    }

    @Test(
        "A purchase is checked with its own key or, better, with the one that is given; one that is cancelled says so")
    func purchase() async throws {
        var design = SignedPurchaseDesign(
            packageName: "com.example.tunes", productID: "gas", purchaseToken: "catappult.inapp.purchase.1",
            orderID: "1", purchasedAt: .now - 60)
        let authority = try Self.authority.get()
        let bought = try authority.signPurchase(design)
        design.state = 1
        let file = try folder.write(try JSONEncoder().encode(bought))
        let cancelled = try folder.write(try JSONEncoder().encode(try authority.signPurchase(design)))

        let own = await verify("--json", file)
        let given = await verify("--json", "--public-key", bought.publicKey, "--product", "gas", file)
        let otherKey = await verify(
            "--json", "--public-key", try pem(of: PrivateKey.generate(.rsa2048).publicKey), file)
        let otherProduct = await verify("--product", "oil", file)
        let otherApp = await verify("--json", "--bundle-id", "com.example.other", file)
        let taken = await verify(cancelled)

        #expect(try report(own).trust == .ownKey)
        #expect(try report(given).trust == .key)
        #expect(try report(given).checks.contains(.init("product", .passed)))
        #expect(try report(otherKey).reason == .badSignature)
        #expect(otherProduct.status == .failed && otherProduct.output.contains("look whether --product is right"))
        #expect(try report(otherApp).reason == .wrongApp)
        #expect(taken.status == .success && taken.output.contains("purchaseState is not 0"))
    }

    @Test("What Xcode signed is refused, unless that is allowed or its certificate is named as a root")
    func xcode() async throws {
        var builder = CertificateBuilder(commonName: "StoreKit Testing", validity: (.now - 3_600)...(.now + 3_600))
        builder.isAuthority = true
        let key = try PrivateKey.generate()
        let certificate = try builder.selfSigned(by: key)
        var store = SimulatedStore(bundleID: "com.example.tunes", environment: .xcode)
        let payload = try store.buy(.subscription("pro.monthly"), at: .now - 60).latest.json()
        let input = [TestAuthority.header(certificates: [certificate]).utf8.map { $0 }, payload].map(Base64.url.encode)
            .joined(separator: ".")
        let file = try folder.write("\(input).\(Base64.url.encode(try key.rawSignature(over: input.utf8)))")

        let refused = await verify(file)
        let allowed = await verify("--allow-xcode", file)
        let named = await verify("--json", "--root", try folder.write(certificate.pem), file)

        #expect(refused.status == .failed && refused.output.contains("--allow-xcode accepts that as a test"))
        #expect(allowed.status == .success && allowed.output.contains("everybody can make one"))
        #expect(try report(named).trust == .xcode)
    }

    // MARK: App Attest

    @Test("An attestation needs what it was made for, and says what it vouches for")
    func attestation() async throws {
        let device = try SimulatedDevice(appID: "TEAM.com.example.tunes")
        let challenge = Array("challenge".utf8)
        let file = try folder.write(
            try device.attest(clientDataHash: Digest.sha256(challenge), by: Self.authority.get(), at: .now))
        let keyID = Base64.standard.encode(device.keyID)

        let good = await verify(
            "--root", try root(), "--app-id", "TEAM.com.example.tunes", "--key-id", keyID, "--client-data",
            try folder.write(challenge), file)
        let hashed = await verify(
            "--root", try root(), "--client-data-hash", Digest.sha256(challenge).hexadecimal, file)
        let without = await verify("--root", try root(), file)

        #expect(good.status == .success, "\(good.output)")
        #expect(good.output.hasPrefix("attestation: verified"))
        #expect(good.output.contains("  passed       nonce"))
        #expect(good.output.contains("  not checked  environment: nothing to compare with; --environment"))
        #expect(hashed.status == .success)
        #expect(without.status == .failed && without.output.contains("nonce_mismatch"))
    }

    @Test("An assertion is checked with the key in its JSON or, better, with the one that is given")
    func assertion() async throws {
        var device = try SimulatedDevice(appID: "TEAM.com.example.tunes")
        let request = Array("request".utf8)
        let assertion = try device.assert(clientDataHash: Digest.sha256(request))
        let key = Base64.standard.encode(device.publicKey)
        let json = try folder.write(
            #"{"assertion":"\#(Base64.url.encode(assertion))","public_key":"\#(key)","client_data":"\#(Base64.standard.encode(request))"}"#
        )

        let own = await verify("--json", json)
        let given = await verify("--json", "--public-key", key, "--last-counter", "0", json)
        let replayed = await verify("--json", "--public-key", key, "--last-counter", "1", json)
        let other = await verify("--json", "--public-key", try pem(of: PrivateKey.generate().publicKey), json)

        #expect(try report(own).trust == .ownKey)
        #expect(try report(given).trust == .key)
        #expect(try report(given).checks.last == .init("counter", .passed))
        #expect(try report(replayed).reason == .counter)
        #expect(try report(other).reason == .badSignature)
    }

    private func pem(of key: PublicKey) throws -> String {
        try folder.write(
            "-----BEGIN PUBLIC KEY-----\n\(Base64.standard.encode(try key.der))\n-----END PUBLIC KEY-----\n")
    }

    // MARK: Command line

    @Test(
        "A command line that makes no sense is exit 64 and says what is wrong",
        arguments: [
            (["--kind", "coupon", "x"], "--kind coupon: expected receipt, transaction"),
            (["--environment", "Production", "x"], "expected production, sandbox, xcode or development"),
            (["--at", "yesterday", "x"], "a time in RFC 3339"), (["--last-counter", "-1", "x"], "a whole number"),
            (["--client-data-hash", "abc", "x"], "hexadecimal digits"), (["--device-id", "abc", "x"], "a UUID"),
            (["--app-id", "tunes", "x"], "the team and the bundle id"), ([], "FILE is missing"),
            (["--client-data", "a", "--client-data-hash", "00", "x"], "exclude each other"),
            (["--public-key", "?", "x"], "a key in Base64, or a file"),
        ])
    func usage(words: [String], complaint: String) async {
        let ending = await Tool(in: Surroundings(environment: [:])).run(["verify"] + words)

        #expect(ending.status == .usage)
        #expect(ending.complaint.contains(complaint), "\(ending.complaint)")
        #expect(ending.output.isEmpty)
    }

    @Test(
        "An option that does not fit the kind, found or told, is said to be of no use; it fails nothing",
        arguments: [[], ["--kind", "transaction"]])
    func unusedOption(kind: [String]) async throws {
        let file = try folder.write(try transaction())
        let words = kind + ["--root", try root(), "--device-id", "112233445566", file]

        let ending = await Tool(in: Surroundings(environment: [:])).run(["verify"] + words)

        #expect(ending.status == .success)
        #expect(ending.complaint == "tollgate verify: --device-id was not used: it is for receipt")
    }

    @Test("Files that cannot be read are exit 64, and named")
    func files() async throws {
        let good = try folder.write(try transaction())

        let absent = await verify(good + ".no")
        let folder = await verify(self.folder.path)
        let noRoot = await verify("--root", good, good)

        for ending in [absent, folder, noRoot] { #expect(ending.status == .usage) }
        #expect(absent.complaint.contains("\(good).no: No such file or directory"))
        #expect(folder.complaint.contains("Is a directory"))
        #expect(noRoot.complaint.contains("\(good) is no certificate"))
    }

    @Test("A file may hold several roots, and words before them")
    func bundle() async throws {
        let others = [try TestAuthority.make(), try TestAuthority.make()]
        let bundle =
            "Roots\n" + others[0].rootPEM + "\n# ours\n" + (try Self.authority.get().rootPEM) + others[1].rootPEM

        let ending = await verify(
            "--root", try folder.write(bundle), try folder.write(try transaction()))

        #expect(ending.status == .success, "\(ending.output)\(ending.complaint)")
    }

    @Test("What never ends, or is longer than any artifact, is read only so far", .timeLimit(.minutes(1)))
    func endless() async throws {
        let ending = await verify("/dev/zero")

        #expect(ending.status == .failed)
        #expect(ending.output.contains("longer than 4 MiB"))
    }

    @Test("A notification of version 1 is named, without the password in it")
    func version1() async throws {
        let file = try folder.write(#"{"notification_type":"DID_RENEW","password":"secret","bid":"com.example.tunes"}"#)

        let ending = await verify(file)

        #expect(ending.status == .failed)
        #expect(ending.output.hasPrefix("notification-v1: REFUSED (malformed, step kind)"))
        #expect(ending.output.contains("com.example.tunes"))
        #expect(!ending.output.contains("secret"))
    }

    @Test("What strangers wrote cannot play with the terminal, and no line is wider than 80 columns")
    func harmless() async throws {
        let file = try folder.write(
            try transaction(product: "a\u{1B}[2Jb\nverified\u{202E}" + String(repeating: "x", count: 300)))

        let ending = await verify("--root", try root(), file)

        #expect(ending.status == .success)
        #expect(ending.output.contains("a\u{FFFD}[2Jb\u{FFFD}verified\u{FFFD}xxx"))
        #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    // MARK: The program

    @Test("The program reads standard input and a pipe, and ends as the verdict is")
    func program() async throws {
        let program = BuiltExecutable("tollgate").url.path()
        let file = try folder.write(try transaction())
        let shell = BuiltExecutable(at: "/bin/sh")
        let root = try root()

        let piped = try await shell.run(["-c", "cat \(file) | \(program) verify --json --root \(root) -"])
        let refused = try await shell.run(["-c", "\(program) verify - < \(file)"])
        let nothing = try await shell.run(["-c", "\(program) verify --json - < /dev/null"])

        #expect(piped.status == 0 && piped.output.contains(#""verdict":"verified""#))
        #expect(refused.status == 1 && refused.output.hasPrefix("transaction: REFUSED"))
        #expect(nothing.status == 1 && nothing.output.contains("this is nothing: it is empty"))
    }
}
