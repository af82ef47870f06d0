import AttestGateway
import Crypto
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

@Suite("Settings of an app")
struct AppSettingsTests {
    static let tunes: AppID = "com.example.tunes"
    /// A command about one app, at a second after the first.
    private static func put(
        _ rig: RegistryRig, at second: Int, _ change: (inout AppPut) -> Void
    ) async throws -> AppRecord? {
        var put = AppPut(organisation: "acme", app: tunes)
        change(&put)
        return try await rig.operators.send(put, at: .epoch + .seconds(second)).value
    }

    @Test("Purchase keys, team and Apple's number are kept; the newest command decides each of them")
    func settings() async throws {
        let key = Data(try PrivateKey.generate(.rsa2048).publicKey.der).base64EncodedString()
        try await RegistryRig.with { rig in
            let first = try await Self.put(rig, at: 5) {
                $0.purchaseKeys = [key]
                $0.teamID = TeamID(rawValue: "A1B2C3D4E5")
            }
            let late = try await Self.put(rig, at: 3) {
                $0.purchaseKeys = []
                $0.teamID = TeamID(rawValue: "ZZZZZZZZZZ")
                $0.appleID = 6_400_000_001
            }
            let emptied = try await Self.put(rig, at: 9) { $0.purchaseKeys = [] }

            #expect(first?.purchaseKeys == [key])
            #expect(first?.teamID == TeamID(rawValue: "A1B2C3D4E5"))
            #expect(late?.purchaseKeys == [key])
            #expect(late?.teamID == TeamID(rawValue: "A1B2C3D4E5"))
            #expect(late?.appleID == 6_400_000_001)
            #expect(emptied?.purchaseKeys == nil)
            #expect(emptied?.appleID == 6_400_000_001)
            #expect(try await rig.operators.ask(RegistrySnapshot()).value?.apps == [try #require(emptied)])
        }
    }

    @Test("The first token stays, whatever is sent beside it, until one is sent to take its place")
    func token() async throws {
        let (one, two, three) = (digest(of: "one"), digest(of: "two"), digest(of: "three"))
        try await RegistryRig.with { rig in
            let new = try await Self.put(rig, at: 0) { $0.notificationTokenDigest = one }
            let again = try await Self.put(rig, at: 1) { $0.notificationTokenDigest = two }
            let rotated = try await Self.put(rig, at: 10) {
                $0.notificationTokenDigest = two
                $0.oldNotificationTokenSeconds = 60
            }
            let overtaken = try await Self.put(rig, at: 9) {
                $0.notificationTokenDigest = three
                $0.oldNotificationTokenSeconds = 60
            }
            let thrice = try await Self.put(rig, at: 20) {
                $0.notificationTokenDigest = three
                $0.oldNotificationTokenSeconds = 3600
            }
            let atOnce = try await Self.put(rig, at: 30) {
                $0.notificationTokenDigest = one
                $0.oldNotificationTokenSeconds = 0
            }

            #expect(new?.notificationTokens == [NotificationToken(digest: one)])
            #expect(again == new)
            #expect(
                rotated?.notificationTokens
                    == [NotificationToken(digest: two), NotificationToken(digest: one, until: .epoch + .seconds(70))])
            #expect(overtaken == rotated)
            // Two at a time: the first one has gone.
            #expect(
                thrice?.notificationTokens
                    == [
                        NotificationToken(digest: three),
                        NotificationToken(digest: two, until: .epoch + .seconds(3620)),
                    ])
            #expect(atOnce?.notificationTokens == [NotificationToken(digest: one)])
        }
    }

    @Test("Environments of App Attest are kept in one form; production alone is what an app has from the start")
    func environments() async throws {
        try await RegistryRig.with { rig in
            var seen: [[AttestEnvironment]?] = []
            let lists: [[AttestEnvironment]] = [
                [.production], [.production, .development, .production], [.development], [],
            ]
            for (second, list) in lists.enumerated() {
                seen.append(try await Self.put(rig, at: second) { $0.attestEnvironments = list }?.attestEnvironments)
            }
            let late = try await Self.put(rig, at: 2) { $0.attestEnvironments = [.development] }
            let wrong = try await rig.operators.send(
                AppPut(organisation: "acme", app: Self.tunes, attestEnvironments: [.init(rawValue: "sandbox")]))

            #expect(seen == [nil, [.development, .production], [.development], nil])
            #expect(late?.attestEnvironments == nil)
            #expect(late?.acceptedEnvironments == [.production])
            #expect(wrong.refusal == "field_invalid")
        }
    }

    @Test("Each limit is decided by the newest command that names it; 0 makes it the installation's again")
    func limits() async throws {
        try await RegistryRig.with { rig in
            let first = try await Self.put(rig, at: 5) {
                $0.limits = AppLimits(attestedPerMinute: 480, devicePerMinute: 60)
            }
            let late = try await Self.put(rig, at: 3) {
                $0.limits = AppLimits(devicePerMinute: 1, addressPerMinute: 600, usersPerMinute: 1_000_000)
            }
            let reset = try await Self.put(rig, at: 6) { $0.limits = AppLimits(attestedPerMinute: 0) }
            let kept = try await rig.operators.ask(RegistrySnapshot()).value?.apps.first
            let none = try await Self.put(rig, at: 7) {
                $0.limits = AppLimits(devicePerMinute: 0, addressPerMinute: 0, usersPerMinute: 0)
            }

            #expect(first?.limits == AppLimits(attestedPerMinute: 480, devicePerMinute: 60))
            #expect(
                late?.limits
                    == AppLimits(
                        attestedPerMinute: 480, devicePerMinute: 60, addressPerMinute: 600, usersPerMinute: 1_000_000))
            #expect(
                reset?.limits
                    == AppLimits(devicePerMinute: 60, addressPerMinute: 600, usersPerMinute: 1_000_000))
            #expect(kept == reset)
            #expect(none?.limits == nil)
            for unfit in [-1, 1_000_001] {
                let answer = try await rig.operators.send(
                    AppPut(organisation: "acme", app: Self.tunes, limits: AppLimits(usersPerMinute: unfit)))
                #expect(answer.refusal == "field_invalid")
            }
        }
    }

    @Test("An app of before these settings has none, keeps its own, and can get them")
    func older() async throws {
        let before = MigrationSequence(
            name: MigrationSequence.registry.name, migrations: Array(MigrationSequence.registry.migrations.prefix(1)))
        let old = RegistryRig.Store(
            schema: before,
            rows: """
                INSERT INTO apps (organisation, app, bucket, test_roots, link_move_policy, policy_decided_at,
                    policy_decided_by, unverified_links_grant, grant_decided_at, grant_decided_by, version, changed_at)
                VALUES ('acme', 'com.example.tunes', 0, '[]', 'keep', 1769760900250, 'a', 1, 0, '', 3, 1769760900250)
                """)
        try await RegistryRig.with(old) { rig in
            let found = try await rig.operators.ask(RegistrySnapshot()).value?.apps
            let changed = try await Self.put(rig, at: 1) {
                $0.linkMovePolicy = .move
                $0.notificationTokenDigest = digest(of: "one")
            }

            var expected = AppRecord(
                organisation: "acme", app: Self.tunes, linkMovePolicy: .keep, unverifiedLinksGrant: true, version: 3,
                changedAt: .epoch)
            #expect(found == [expected])
            expected.notificationTokens = [NotificationToken(digest: digest(of: "one"))]
            expected.linkMovePolicy = .move
            expected.version = 1
            expected.changedAt = .epoch + .seconds(1)
            #expect(changed == expected)
        }
    }
}
