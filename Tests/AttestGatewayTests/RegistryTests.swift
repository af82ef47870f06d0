import AttestGateway
import Crypto
import Foundation
import Messages
import Messaging
import TestSupport
import Testing

@Suite("The registry")
struct RegistryTests {
    static let tunes: AppID = "com.example.tunes"

    @Test("An organisation comes into being with its first app; the record has defaults and the next version")
    func newApp() async throws {
        try await RegistryRig.with { rig in
            let first = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes))
            let second = try await rig.operators.send(AppPut(organisation: "acme", app: "com.example.other"))

            #expect(
                first.value
                    == AppRecord(organisation: "acme", app: Self.tunes, version: 1, changedAt: .epoch))
            #expect(second.value?.version == 2)
        }
    }

    @Test("What is absent stays as it is; the same again changes nothing and is answered with the record")
    func change() async throws {
        try await RegistryRig.with { rig in
            _ = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, linkMovePolicy: .keep, unverifiedLinksGrant: true))
            let changed = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, linkMovePolicy: .move), at: .epoch + .seconds(1))
            let again = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, linkMovePolicy: .move), at: .epoch + .seconds(2))

            #expect(changed.value?.linkMovePolicy == .move)
            #expect(changed.value?.unverifiedLinksGrant == true)
            #expect(changed.value?.version == 2)
            #expect(changed.value?.changedAt == .epoch + .seconds(1))
            let change = "put_app \(Key.app("acme", Self.tunes)) 1"
            #expect(try await rig.database.audited() == [change, change])
            #expect(again.value == changed.value)
        }
    }

    @Test("A command that comes after a newer one is overtaken, setting by setting")
    func overtaken() async throws {
        try await RegistryRig.with { rig in
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes))
            _ = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, linkMovePolicy: .move), at: .epoch + .seconds(9))
            let late = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, linkMovePolicy: .keep, unverifiedLinksGrant: true),
                at: .epoch + .seconds(5))

            // That the newer one had changed nothing makes it no less a decision.
            #expect(late.value?.linkMovePolicy == .move)
            #expect(late.value?.unverifiedLinksGrant == true)
        }
    }

    @Test("Test roots are decided when the app is new, and never again")
    func testRoots() async throws {
        let root = try Self.root("one")
        let other = try Self.root("two")
        try await RegistryRig.with { rig in
            let new = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, testRoots: [root]))
            let same = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, testRoots: [root]))
            let another = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, testRoots: [root, other]))
            let none = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes, testRoots: []))
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: "com.example.real"))
            let late = try await rig.operators.send(
                AppPut(organisation: "acme", app: "com.example.real", testRoots: [root]))

            #expect(new.value?.isTest == true)
            #expect(same.value == new.value)
            #expect([another, none, late].map(\.refusal) == ["test_root_fixed", "test_root_fixed", "test_root_fixed"])
        }
    }

    @Test("A key is added once, by its digest, to an organisation that is there")
    func addKey() async throws {
        try await RegistryRig.with { rig in
            let early = try await rig.operators.send(Self.add("a", "one"))
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes))
            _ = try await rig.operators.send(AppPut(organisation: "umbrella", app: Self.tunes))
            let added = try await rig.operators.send(Self.add("a", "one"))
            let again = try await rig.operators.send(Self.add("a", "one"))
            let otherSecret = try await rig.operators.send(Self.add("a", "two"))
            let otherName = try await rig.operators.send(Self.add("b", "one"))
            let elsewhere = try await rig.operators.send(Self.add("a", "one", organisation: "umbrella"))

            #expect(early.refusal == "organisation_unknown")
            #expect(added.value?.version == 3)
            #expect(added.value?.revokedAt == nil)
            #expect(again.value == added.value)
            #expect([otherSecret, otherName, elsewhere].map(\.refusal) == ["key_exists", "key_exists", "key_exists"])
        }
    }

    @Test("A revoked key stays revoked, since the first time")
    func revoke() async throws {
        try await RegistryRig.with { rig in
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes))
            let unknown = try await rig.operators.send(KeyRevoke(organisation: "acme", id: "a"))
            _ = try await rig.operators.send(Self.add("a", "one"))
            let revoked = try await rig.operators.send(
                KeyRevoke(organisation: "acme", id: "a"), at: .epoch + .seconds(1))
            let again = try await rig.operators.send(KeyRevoke(organisation: "acme", id: "a"), at: .epoch + .seconds(2))
            let added = try await rig.operators.send(Self.add("a", "one"))

            #expect(unknown.refusal == "key_unknown")
            #expect(revoked.value?.revokedAt == .epoch + .seconds(1))
            #expect(revoked.value?.version == 3)
            #expect(again.value == revoked.value)
            #expect(added.value == revoked.value)
        }
    }

    @Test("A snapshot has everything, as of one version")
    func snapshot() async throws {
        try await RegistryRig.with { rig in
            let empty = try await rig.operators.ask(RegistrySnapshot())
            let app = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes))
            let key = try await rig.operators.send(Self.add("a", "one"))
            let full = try await rig.operators.ask(RegistrySnapshot())

            #expect(empty.value == RegistrySnapshot.Value(version: 0, apps: [], keys: [], devices: []))
            #expect(full.value?.version == 2)
            #expect(full.value?.apps == [try #require(app.value)])
            #expect(full.value?.keys == [try #require(key.value)])
        }
    }

    @Test("Every change is published with its record, and what changes nothing is not")
    func events() async throws {
        try await RegistryRig.with { rig in
            let session = try await rig.broker.openSession(named: "listener")
            try await session.declareExclusive(
                queue: "edge.attest-gateway-test",
                bindings: [AppChanged.kind, KeyChanged.kind].map {
                    Binding(exchange: .events, queue: "edge.attest-gateway-test", routingKey: "\($0).*")
                })
            let app = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes))
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes, linkMovePolicy: .move))
            let key = try await rig.operators.send(Self.add("a", "one"))
            let revoked = try await rig.operators.send(KeyRevoke(organisation: "acme", id: "a"))
            _ = try await rig.operators.send(KeyRevoke(organisation: "acme", id: "a"))

            #expect(await eventually { rig.broker.waiting(in: "edge.attest-gateway-test").count == 3 })
            let events = rig.broker.waiting(in: "edge.attest-gateway-test")
            try #require(events.count == 3)
            #expect(events.map(\.kind) == [AppChanged.kind, KeyChanged.kind, KeyChanged.kind])
            #expect(events.map(\.key) == ["acme", "acme", "acme"])
            #expect(events.map(\.properties.userID) == ["attest-gateway", "attest-gateway", "attest-gateway"])
            #expect(try MessageJSON.decode(AppChanged.self, from: events[0].body).record == app.value)
            #expect(try MessageJSON.decode(KeyChanged.self, from: events[1].body).record == key.value)
            #expect(try MessageJSON.decode(KeyChanged.self, from: events[2].body).record == revoked.value)
        }
    }

    @Test("Names, digests and roots that are none are refused")
    func fields() async throws {
        let long = String(repeating: "x", count: 65)
        try await RegistryRig.with { rig in
            _ = try await rig.operators.send(AppPut(organisation: "acme", app: Self.tunes))
            for organisation in ["", "a/b", "a b", "é", long] {
                let answer = try await rig.operators.send(
                    AppPut(organisation: OrganisationID(rawValue: organisation), app: Self.tunes))
                #expect(answer.refusal == "field_invalid", "\(organisation)")
            }
            for app in ["", "a/b", "com.éxample", String(repeating: "x", count: 256)] {
                let answer = try await rig.operators.send(AppPut(organisation: "acme", app: AppID(rawValue: app)))
                #expect(answer.refusal == "field_invalid", "\(app)")
            }
            for root in ["", "x", "AAAA", Data(repeating: 0x30, count: 17_000).base64EncodedString()] {
                let answer = try await rig.operators.send(
                    AppPut(organisation: "acme", app: "com.example.new", testRoots: [root]))
                #expect(answer.refusal == "field_invalid", "\(root.prefix(8))")
            }
            let policy = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, linkMovePolicy: LinkMovePolicy(rawValue: "steal")))
            #expect(policy.refusal == "field_invalid")
            for put in try Self.unfitSettings() {
                let answer = try await rig.operators.send(put)
                #expect(answer.refusal == "field_invalid", "\(put)")
            }
            for digest in ["", "abc", String(repeating: "A", count: 64), String(repeating: "g", count: 64)] {
                let answer = try await rig.operators.send(
                    KeyAdd(organisation: "acme", id: "a", digest: digest, scope: .read))
                #expect(answer.refusal == "field_invalid", "\(digest)")
            }
            let scope = try await rig.operators.send(
                KeyAdd(
                    organisation: "acme", id: "a", digest: String(repeating: "a", count: 64),
                    scope: KeyRecord.Scope(rawValue: "root")))
            #expect(scope.refusal == "field_invalid")
            let name = try await rig.operators.send(KeyRevoke(organisation: "acme", id: KeyID(rawValue: long)))
            #expect(name.refusal == "field_invalid")
        }
    }

    /// Each with one thing in it that the registry does not take.
    private static func unfitSettings() throws -> [AppPut] {
        let good = AppPut(organisation: "acme", app: tunes)
        let curve = Data(try PrivateKey.generate().publicKey.der).base64EncodedString()
        // RSA, 1024 bits.
        let short =
            "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC4no9e33H3p3Cs5kZdaLScEnDm8AWWZOa6uLdq3Me4HbV5CAB6W644Yrz3PcxOydgsTCuJ"
            + "5IdnxueDNvvRmUMOQiaeL49bPkfP31hyYsXwfOnrqInfg7bj2k4NxECGdgzTPswvy1Ehpwlvsirq65Q3sQERcFbJnRr0y3DnmtKuKwIDAQAB"
        let digest = digest(of: "token")
        let changes: [(inout AppPut) -> Void] =
            ["", "AAAA", curve, short].map { key in { $0.purchaseKeys = [key] } }
            + ["", "a1b2c3d4e5", "A1B2C3D4E", "A1B2C3D4E55", "A1B2C3D4É"].map { team in
                { $0.teamID = TeamID(rawValue: team) }
            }
            + [0, -1].map { number in { $0.appleID = number } }
            + ["", "token", digest.uppercased()].map { text in { $0.notificationTokenDigest = text } }
            + [-1, 30 * 86_400 + 1].map { seconds in
                {
                    $0.notificationTokenDigest = digest
                    $0.oldNotificationTokenSeconds = seconds
                }
            }
            + [{ $0.oldNotificationTokenSeconds = 0 }]
        return changes.map { change in
            var put = good
            change(&put)
            return put
        }
    }

    private static func add(_ id: KeyID, _ secret: String, organisation: OrganisationID = "acme") -> KeyAdd {
        KeyAdd(organisation: organisation, id: id, digest: digest(of: secret), scope: .read)
    }

    private static func root(_ name: String) throws -> String {
        let now = Date()
        let builder = CertificateBuilder(commonName: name, validity: now...now.addingTimeInterval(86_400))
        return Data(try builder.selfSigned(by: try PrivateKey.generate()).der).base64EncodedString()
    }
}

extension Answer {
    /// What was applied.
    var value: Value? {
        guard case .applied(let value) = self else { return nil }
        return value
    }

    /// Why it was refused.
    var refusal: String? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal.reason
    }
}
