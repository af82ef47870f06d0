import Crypto
import Foundation
import Messages
import Messaging
import StoreSimulator
import Testing
import TestSupport
import Tollgate

@Suite("Commands to the services")
struct CommandTests {
    static let time = Timestamp(clamping: 1_800_000_000_000)

    @Test("Whoever says nothing, or nothing that we know, is told what there is")
    func help() async {
        let installation = FakeInstallation()

        let nothing = await installation.tool()
        let help = await installation.tool("--help")
        let group = await installation.tool("keys", "--help")
        let command = await installation.tool("keys", "add", "--help")
        let unknown = await installation.tool("kyes", "add")
        let unknownInGroup = await installation.tool("keys", "ad")

        #expect(nothing.status == .usage)
        #expect(help.status == .success)
        let lines = (help.output + "\n" + command.output).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("example: ") || $0.hasPrefix("usage: ") })
        #expect(help.output.contains("keys revoke"))
        #expect(group.output.contains("keys revoke") && !group.output.contains("apps add"))
        #expect(command.output.contains("example: tollgate keys add"))
        #expect(unknown.status == .usage)
        #expect(unknown.complaint == "tollgate: there is no command kyes; see tollgate --help")
        #expect(unknownInGroup.complaint == "tollgate: there is no command keys ad; see tollgate keys --help")
    }

    @Test("Every command has a summary, an example that begins with its name, and explains itself")
    func everyCommand() async {
        let installation = FakeInstallation()
        let names = await installation.tool("--help").output.split(separator: "\n")
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.map {
                $0.split(separator: " ").prefix(2).map(String.init)
            }

        #expect(names.count >= 16)
        for name in names {
            let words = name.prefix { $0.first?.isLowercase == true }
            let ending = await Tool(in: Surroundings(environment: [:])).run(Array(words) + ["--help"])
            #expect(ending.status == .success, "\(name)")
            #expect(ending.output.contains("example: tollgate \(words.joined(separator: " "))"), "\(name)")
            #expect(ending.output.contains("--json"), "\(name)")
        }
    }

    @Test("A test app is added with its root as DER, whether the file is PEM or DER", arguments: [true, false])
    func appsAdd(isPEM: Bool) async throws {
        let installation = FakeInstallation()
        let root = try TestAuthority.make().root
        let folder = TemporaryFolder()
        let file = try folder.write(isPEM ? Array(root.pem.utf8) : root.der, to: "root")

        let ending = try await installation.answering(.attestGateway) { _, body in
            guard let put = try? MessageJSON.decode(AppPut.self, from: body) else { return nil }
            return Answer.applied(
                AppRecord(
                    organisation: put.organisation, app: put.app, testRoots: put.testRoots ?? [], version: 1,
                    changedAt: Self.time))
        } while: {
            await installation.tool("apps", "add", "--app", "com.example.tunes", "--test-root", file, "--json")
        }

        #expect(ending.status == .success, "\(ending.complaint)")
        let record = try MessageJSON.decode(AppRecord.self, from: Array(ending.output.utf8))
        #expect(record.testRoots == [Base64.standard.encode(root.der)])
        #expect(record.organisation.rawValue == "acme")
        #expect(record.isTest)
    }

    @Test("A file that is no certificate is named before anything is sent")
    func notACertificate() async throws {
        let installation = FakeInstallation()
        let folder = TemporaryFolder()
        let file = try folder.write(Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8), to: "root.pem")

        let broken = await installation.tool("apps", "add", "--app", "a", "--test-root", file)
        let absent = await installation.tool("apps", "add", "--app", "a", "--test-root", file + ".no")

        for ending in [broken, absent] { #expect(ending.status == .usage) }
        #expect(broken.complaint.contains("\(file) is no certificate"))
        #expect(absent.complaint.contains("cannot read \(file).no"))
        #expect(installation.broker.depth(of: "attest-gateway.0") == 0)
    }

    @Test("A refusal is exit 1 and says why; a service that cannot say now is exit 2")
    func refusals() async throws {
        let installation = FakeInstallation()
        func add(_ answer: Answer<AppRecord>) async throws -> Tool.Ending {
            try await installation.answering(.attestGateway) { _, _ in
                answer
            } while: {
                await installation.tool("apps", "add", "--app", "a")
            }
        }

        let refused = try await add(.refused(Refusal("test_root_fixed", "The roots of an app do not change")))
        let failed = try await add(.failed(Refusal("failed", "The store takes no writes")))

        #expect(refused.status == .failed)
        #expect(
            refused.complaint
                == "tollgate apps add: attest-gateway says no: The roots of an app do not change (test_root_fixed)")
        #expect(failed.status == .unavailable)
        #expect(failed.complaint.contains("attest-gateway could not say now"))
    }

    @Test("Where nobody answers, exit 2 says who should")
    func nobody() async {
        let installation = FakeInstallation()

        let query = await installation.tool("apps", "list")
        let command = await installation.tool("products", "map", "--app", "a", "p", "e", "--timeout", "1s")

        #expect(query.status == .unavailable)
        #expect(query.complaint.contains("no attest-gateway answers"))
        #expect(query.complaint.contains("is attest-gateway running"))
        #expect(command.status == .unavailable)
        #expect(
            command.complaint.contains("entitlement-resolver has not answered yet: it is applied as soon as it runs"))
        #expect(installation.broker.depth(of: "entitlement-resolver.0") == 1)
    }

    @Test("Without a broker, with a bad address, or without one at all, the exit says which")
    func noBroker() async {
        let installation = FakeInstallation()
        installation.broker.goDown()

        let down = await installation.tool("apps", "list")
        let unset = await installation.tool("apps", "list", environment: ["TOLLGATE_BROKER": ""])
        let said = await installation.tool("apps", "list", "--broker", "http://tollgate:secret@x")

        #expect(down.status == .unavailable)
        #expect(down.complaint.contains("is the broker running where TOLLGATE_BROKER says?"))
        #expect(unset.status == .settings)
        #expect(said.status == .usage)
        #expect(!said.complaint.contains("secret"))
    }

    @Test("A key's secret is shown once, and only its SHA-256 leaves the tool")
    func keysAdd() async throws {
        let installation = FakeInstallation()

        let ending = try await installation.answering(.attestGateway) { _, body in
            guard let add = try? MessageJSON.decode(KeyAdd.self, from: body) else { return nil }
            return Answer.applied(
                KeyRecord(
                    organisation: add.organisation, id: add.id, digest: add.digest, scope: add.scope,
                    addedAt: Self.time, version: 1))
        } while: {
            await installation.tool("keys", "add", "backend", "--scope", "write", "--json")
        }

        struct Added: Decodable {
            let key: KeyRecord
            let secret: String
        }
        let added = try MessageJSON.decode(Added.self, from: Array(ending.output.utf8))
        #expect(added.secret.hasPrefix("tk_"))
        #expect(Base64.url.decode(added.secret.dropFirst(3).utf8)?.count == 32)
        #expect(added.key.scope == .write)
        #expect(added.key.digest == Digest.sha256(added.secret.utf8).hexadecimal)
        #expect(installation.messages.count == 1)
        #expect(installation.messages.allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains(added.secret) })
    }

    @Test("A key that may still be added is not one whose secret nobody knows")
    func keysAddLater() async {
        let installation = FakeInstallation()

        let ending = await installation.tool("keys", "add", "backend", "--timeout", "50ms")

        #expect(ending.status == .unavailable)
        #expect(ending.complaint.contains("its secret is tk_"))
    }

    @Test("Products are mapped to entitlements, or to none if that is said")
    func productsMap() async throws {
        let installation = FakeInstallation()
        let answers: FakeInstallation.Answers = { _, body in
            guard let set = try? MessageJSON.decode(MappingSet.self, from: body) else { return nil }
            return Answer.applied(
                ProductMapping(
                    organisation: set.organisation, app: set.app, product: set.product,
                    entitlements: set.entitlements, version: 1, changedAt: Self.time))
        }

        let (two, none) = try await installation.answering(.entitlementResolver, by: answers) {
            (
                await installation.tool("products", "map", "--app", "a", "pro.monthly", "pro", "sync"),
                await installation.tool("products", "map", "--app", "a", "pro.monthly", "--none")
            )
        }
        let neither = await installation.tool("products", "map", "--app", "a", "pro.monthly")

        #expect(two.output.hasPrefix("pro.monthly of a unlocks pro, sync"))
        #expect(none.output.hasPrefix("pro.monthly of a unlocks nothing"))
        #expect(neither.status == .usage)
    }

    @Test("A user is shown with what he holds; what he wrote himself cannot play with the terminal")
    func usersShow() async throws {
        let installation = FakeInstallation()
        let view = UserView(
            customer: UserView.Customer(
                user: AppUserID(rawValue: "anna"), firstSeen: Self.time, lastSeen: Self.time, platform: "ios",
                attributes: ["name": .text("A\u{1B}[2J\nall is accounted for"), "age": .integer(7)], trust: .unverified),
            transactions: [],
            entitlements: [
                EntitlementState(
                    entitlement: EntitlementID(rawValue: "pro"), environment: .production, isActive: true,
                    until: Self.time, trust: .verified, isTest: true, reason: .trial, willRenew: true,
                    renewsAs: ProductID(rawValue: "pro.yearly")),
                EntitlementState(
                    entitlement: EntitlementID(rawValue: "sync"), environment: .production, isActive: false,
                    until: Self.time, trust: .verified, isTest: true, reason: .billingRetry, willRenew: false),
            ], isTest: true)

        let ending = try await installation.answering(.entitlementResolver) { _, _ in
            Answer.applied(view)
        } while: {
            await installation.tool("users", "show", "anna", "--app", "a")
        }

        #expect(
            ending.output.contains(
                "pro: active (trial) until 2027-01-15T08:00:00.000Z, renews as pro.yearly, verified, production"))
        #expect(
            ending.output.contains(
                "sync: not active (billing_retry) since 2027-01-15T08:00:00.000Z, does not renew, verified, production")
        )
        #expect(ending.output.contains("  name = A\u{FFFD}[2J\u{FFFD}all is accounted for"))
        #expect(ending.output.contains("  age = 7"))
    }

    @Test("Stores are made for the partitions that are asked for, and never over what is there")
    func storeCreate() async throws {
        let installation = FakeInstallation()
        let folder = TemporaryFolder()
        let stores = folder.path + "/a/b"

        let made = await installation.tool(
            "store", "create", "receipt-validator", "--store", stores, "--partitions", "4", "--own", "0-1,3")
        let again = await installation.tool(
            "store", "create", "receipt-validator", "--store", stores, "--partitions", "4")
        let beyond = await installation.tool("store", "create", "receipt-validator", "--store", stores, "--own", "1")
        let unknown = await installation.tool("store", "create", "tollgate", "--store", stores)

        #expect(made.status == .success, "\(made.complaint)")
        let files = try FileManager.default.contentsOfDirectory(atPath: stores).filter { $0.hasSuffix(".sqlite") }
        #expect(
            files.sorted()
                == ["receipt-validator.0.sqlite", "receipt-validator.1.sqlite", "receipt-validator.3.sqlite"])
        #expect(again.status == .failed)
        #expect(again.complaint.contains("There is a store at \(stores)/receipt-validator.0.sqlite already"))
        #expect(beyond.status == .usage)
        #expect(unknown.status == .usage)
    }

    @Test("A simulated purchase is signed by the authority, and can be looked into")
    func simulate() async throws {
        let installation = FakeInstallation()
        let folder = TemporaryFolder()
        let authority = folder.path + "/authority"

        let none = await installation.tool(
            "simulate", "transaction", "--authority", authority, "--app", "a", "--product", "p")
        let made = await installation.tool("simulate", "authority", authority)
        let again = await installation.tool("simulate", "authority", authority)
        let bought = await installation.tool(
            "simulate", "transaction", "--authority", authority, "--app", "com.example.tunes", "--product", "p")
        let product = await installation.tool("simulate", "show", bought.output, "--field", "productId")
        let price = await installation.tool("simulate", "show", bought.output, "--field", "price")
        let whole = await installation.tool("simulate", "show", bought.output)
        let nothing = await installation.tool("simulate", "show", "a.b.c")

        #expect(none.complaint.contains("tollgate simulate authority \(authority) makes one"))
        #expect(made.output.contains("\(authority)/root.pem"))
        #expect(again.output.hasPrefix("there already"))
        #expect(bought.output.split(separator: ".").count == 3)
        #expect(product.output == "p")
        #expect(price.output == "9990")
        #expect(whole.output.contains(#""bundleId":"com.example.tunes""#))
        #expect(nothing.status == .failed)
    }
}
