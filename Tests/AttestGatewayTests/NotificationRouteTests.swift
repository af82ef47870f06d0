import AttestGateway
import Crypto
import Foundation
import HTTPClient
import JSON
import Messages
import Messaging
import ServiceKit
import StoreSimulator
import TestSupport
import Testing

@Suite("Notifications of Apple's server")
struct NotificationRouteTests {
    private static let token = "nt_secret"
    private static let oldToken = "nt_old"

    /// The test app of an authority, with a good token, one that is good for a second more, and one that is not.
    private static func app(of authority: TestAuthority) -> AppRecord {
        AppRecord(
            organisation: "acme", app: "com.example.tunes",
            testRoots: [Data(authority.root.der).base64EncodedString()],
            notificationTokens: [
                NotificationToken(digest: digest(of: token)),
                NotificationToken(digest: digest(of: oldToken), until: .epoch + .seconds(1)),
                NotificationToken(digest: digest(of: "nt_gone"), until: .epoch),
            ], version: 1, changedAt: .epoch)
    }

    private static func with(
        _ environment: [String: String] = [:], broker: InMemoryBroker = InMemoryBroker(),
        _ body: @Sendable (EdgeRig, TestAuthority) async throws -> Void
    ) async throws {
        let authority = try TestAuthority.make()
        try await EdgeRig.with(environment, apps: [app(of: authority)], broker: broker) {
            try await body($0, authority)
        }
    }

    private static func post(_ rig: EdgeRig, _ body: String, token: String = token) async throws -> HTTPResponse {
        try await rig.send("POST", "/apple/v2/notifications/\(token)", Array(body.utf8))
    }

    private static func body(_ text: String) -> String { #"{"signedPayload":"\#(text)"}"# }

    /// What Apple's server sends when a developer asks for a test.
    private static func notification(
        _ number: Int = 0, for app: String = "com.example.tunes", signedAt time: Timestamp = .epoch
    ) -> [UInt8] {
        Array(
            """
            {"notificationType":"TEST","notificationUUID":"\(number)","version":"2.0","data":{"bundleId":"\(app)",\
            "environment":"Sandbox"},"signedDate":\(time.millisecondsSince1970)}
            """.utf8)
    }

    @Test("It is answered 200 when the broker has it, as an artifact of the app that the path belongs to")
    func taken() async throws {
        try await Self.with { rig, _ in
            let response = try await Self.post(rig, Self.body("e30.e30.c2ln"))
            let byOldPath = try await Self.post(
                rig, #"{ "x": 1, "signedPayload": "e30.e30.c2ln"}"#, token: Self.oldToken)

            #expect([response, byOldPath].map(\.status) == [200, 200])
            #expect(response.text == #"{"ok":true}"#)
            let published = rig.publisher.published
            #expect(published.count == 2)
            let command = try MessageJSON.decode(ArtifactSubmit.self, from: try #require(published.first).envelope.body)
            #expect(
                command
                    == ArtifactSubmit(
                        organisation: "acme", app: "com.example.tunes",
                        artifact: Artifact(kind: .notification, text: "e30.e30.c2ln"),
                        digest: ArtifactDigest(rawValue: digest(of: "e30.e30.c2ln"))))
            #expect(published.first?.route == .command(.receiptValidator, command.bucket))
            // Of the bytes that are signed: what Apple sends again is the same message.
            #expect(Set(published.map(\.envelope.id)).count == 1)
            #expect(Set(published.map(\.envelope.body)).count == 1)
        }
    }

    @Test("Other bytes are another message, and so are the same for another app")
    func ids() throws {
        let one = try AppleNotification(Array(Self.body("e30.e30.c2ln").utf8))
        let other = try AppleNotification(Array(Self.body("e30.e30.c2lo").utf8))
        let elsewhere = AppRecord(organisation: "acme", app: "com.example.other", version: 1, changedAt: .epoch)

        let ids = [one.messageID(for: .tunes), other.messageID(for: .tunes), one.messageID(for: elsewhere)]

        #expect(Set(ids).count == 3)
    }

    @Test(
        "A path of no app is 404, whatever is in it",
        arguments: [
            ("nt_other", 404), ("nt_gone", 404), ("nt_secret%2F", 404), ("%2e%2e%2fnt_secret", 404),
            ("nt_secre%74", 200), ("nt_secret/", 404), ("", 404), ("nt_secret%00", 400), ("%C0%AF", 400),
            ("%F0%82%82%AC", 400), ("%zz", 400), ("\(String(repeating: "x", count: 8000))", 404),
            ("\(String(repeating: "x", count: 10_000))", 414), ("%E2%98%83", 404),
        ])
    func paths(token: String, status: Int) async throws {
        try await Self.with { rig, _ in
            let response = try await Self.post(rig, Self.body("e30.e30.c2ln"), token: token)

            #expect(response.status == status)
            #expect(rig.publisher.published.count == (status == 200 ? 1 : 0))
            #expect(!response.text.contains("nt_"))
        }
    }

    @Test(
        "What is no notification of version 2 is 400 that says what it is, and nothing is kept",
        arguments: [
            (#"{"notification_type":"DID_RENEW","password":"x","unified_receipt":{}}"#, ["notification_version_1"]),
            ("{}", ["missing_member", "signedPayload"]),
            (#"{"signedPayload":null}"#, ["missing_member", "signedPayload"]),
            (#"{"signedPayload":{}}"#, ["wrong_type", "signedPayload"]),
            (#"{"signedPayload":""}"#, ["bad_value", "signedPayload"]),
            (#"{"signedPayload":"a.b"}"#, ["bad_value", "signedPayload"]),
            (#"{"signedPayload":"a..b"}"#, ["bad_value", "signedPayload"]),
            (#"{"signedPayload":"a.b.c.d"}"#, ["bad_value", "signedPayload"]),
            (#"{"signedPayload":"a.b.ü"}"#, ["bad_value", "signedPayload"]),
            ("[]", ["wrong_type"]), ("e30.e30.c2ln", ["unexpected_byte"]), ("", ["unexpected_end"]),
            (#"{"signedPayload":"a.b.c"}x"#, ["trailing_bytes"]),
        ])
    func bodies(body: String, refusal: [String]) async throws {
        try await Self.with { rig, _ in
            let response = try await Self.post(rig, body)

            #expect(response.status == 400)
            #expect(response.refusal == refusal)
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("Where the broker does not confirm it, it is 503, and Apple comes again")
    func notAccepted() async throws {
        try await Self.with { rig, _ in
            rig.publisher.answer(.unknown)
            let response = try await Self.post(rig, Self.body("e30.e30.c2ln"))

            #expect(response.status == 503)
            #expect(response.refusal == ["not_accepted"])
            #expect(response.header("Retry-After") == "1")
        }
    }

    @Test("While the registry is away, a path that is not known is 503, not unknown")
    func registryAway() async throws {
        try await EdgeRig.with(askRegistry: { _, _ in throw Asker.NoAnswer() }) { rig in
            let response = try await Self.post(rig, Self.body("e30.e30.c2ln"))

            #expect(response.status == 503)
            #expect(response.refusal == ["registry_unavailable"])
        }
    }

    @Test("1 MiB is taken, a byte more is not")
    func size() async throws {
        try await Self.with { rig, _ in
            for (count, status) in [(1 << 20, 200), (1 << 20 + 1, 413)] {
                let text = "a.b." + String(repeating: "c", count: count - Self.body("a.b.").utf8.count)
                let response = try await Self.post(rig, Self.body(text))
                #expect(response.status == status)
            }
            #expect(rig.publisher.published.count == 1)
        }
    }

    @Test(
        "After so many refused ones, what is not signed for the app is 400 and not kept; what is signed is always taken"
    )
    func forgeries() async throws {
        let broker = InMemoryBroker(topology: Topology(.init()))
        try await Self.with(["TOLLGATE_LIMIT_UNVERIFIABLE": "3"], broker: broker) { rig, authority in
            let genuine = try authority.sign(Self.notification(1))
            let forged = try TestAuthority.make().sign(Self.notification(2))
            let misdirected = try authority.sign(Self.notification(3, for: "com.example.other"))
            let parts = genuine.split(separator: ".").map(String.init)
            let altered = "\(parts[0]).\(try authority.sign(Self.notification(4)).split(separator: ".")[1]).\(parts[2])"
            let hollow = "e30.e30.c2ln"

            for text in [forged, misdirected, altered, hollow] {
                let status = try await Self.post(rig, Self.body(text)).status
                #expect(status == 200)
            }
            // Two of notifications, by the validator; one of a transaction, one by somebody else: not enough.
            for count in 0..<2 { try await broker.refuse(.notification, count) }
            try await broker.refuse(.transaction, 2)
            try await broker.refuse(.notification, 3, by: .operatorTool)
            try await broker.refuse(.notification, 4, app: "com.example.other")
            #expect(await eventually { rig.ignoredEvents == 1 })
            let before = try await Self.post(rig, Self.body(forged)).status
            #expect(before == 200)
            try await broker.refuse(.notification, 5)

            #expect(
                await eventually {
                    (try? await Self.post(rig, Self.body(forged)))?.refusal == ["notification_forged", "signedPayload"]
                })
            let kept = rig.publisher.published.count
            for (text, reason) in [
                (forged, "untrusted_chain"), (misdirected, "wrong_app"), (altered, "bad_signature"),
                (hollow, "unsupported_alg"),
            ] {
                let response = try await Self.post(rig, Self.body(text))
                #expect(response.status == 400)
                #expect(response.text.contains(reason), "\(response.text)")
            }
            #expect(rig.publisher.published.count == kept)
            // Whether one of tomorrow is to be believed is for the validator to say.
            let early = try authority.sign(Self.notification(5, signedAt: .epoch + .seconds(86_400)))
            for text in [genuine, early, genuine] {
                let status = try await Self.post(rig, Self.body(text)).status
                #expect(status == 200)
            }
            #expect(rig.publisher.published.count == kept + 3)
            #expect(rig.metrics.render().contains(#"tollgate_edge_notifications_total{outcome="forged"}"#))
        }
    }

    @Test("Every edge hears of every refusal")
    func edges() async throws {
        let broker = InMemoryBroker(topology: Topology(.init()))
        try await Self.with(["TOLLGATE_LIMIT_UNVERIFIABLE": "2"], broker: broker) { one, _ in
            try await Self.with(["TOLLGATE_LIMIT_UNVERIFIABLE": "2"], broker: broker) { other, _ in
                for rig in [one, other] {
                    // Their queues are there when both have passed over what a stranger says.
                    #expect(
                        await eventually {
                            try? await broker.refuse(.notification, 0, by: .operatorTool)
                            return rig.ignoredEvents > 0
                        })
                }
                for number in 0..<2 { try await broker.refuse(.notification, number) }
                for rig in [one, other] {
                    #expect(await eventually { (try? await Self.post(rig, Self.body("e30.e30.c2ln")))?.status == 400 })
                }
            }
        }
    }

    @Test("The count begins anew every day, by UTC, and each app has its own")
    func days() {
        let unverifiable = UnverifiableNotifications(limit: 2)
        let midnight = Timestamp(rfc3339: "2026-02-01T00:00:00Z") ?? .epoch
        for _ in 0..<2 { unverifiable.note("com.example.tunes", of: "acme", at: midnight - .milliseconds(1)) }
        let other = AppRecord(organisation: "umbrella", app: "com.example.tunes", version: 1, changedAt: .epoch)

        #expect(unverifiable.areTooMany(for: .tunes, at: midnight - .milliseconds(1)))
        #expect(!unverifiable.areTooMany(for: other, at: midnight - .milliseconds(1)))
        #expect(!unverifiable.areTooMany(for: .tunes, at: midnight))
        unverifiable.note("com.example.tunes", of: "acme", at: midnight)
        #expect(!unverifiable.areTooMany(for: .tunes, at: midnight))
    }

    @Test(
        "2,000 bodies that are nothing, or nearly good, are answered 200 or 400, and never 500, looked at or not",
        arguments: [0, 1_000_000])
    func noise(limit: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await Self.with(["TOLLGATE_LIMIT_UNVERIFIABLE": "\(limit)"]) { rig, authority in
            let signed = try authority.sign(Self.notification())
            var noise = Noise(seed: seed, good: Array(#"{"signedPayload":"\#(signed)","x":[{}],"y":null}"#.utf8))
            for _ in 0..<2_000 {
                let body = noise.body()
                let response = try await rig.send("POST", "/apple/v2/notifications/\(Self.token)", body)
                #expect([200, 400].contains(response.status), "\(response.status), seed \(seed)")
                if response.status == 400 { #expect(response.refusal != nil) }
            }
        }
    }
}

extension InMemoryBroker {
    /// Publishes what the validator says when it has refused something.
    fileprivate func refuse(
        _ kind: Artifact.Kind, _ number: Int, app: AppID = "com.example.tunes",
        by user: BrokerUser = BrokerUser(of: .receiptValidator)
    ) async throws {
        let event = ArtifactRefused(
            organisation: "acme", app: app, digest: ArtifactDigest(rawValue: digest(of: "\(number)")),
            artifactKind: kind, step: "signature", reason: "bad_signature")
        let publication = Publication(
            Envelope(kind: ArtifactRefused.kind, id: MessageID(at: .now), body: try MessageJSON.encode(event)),
            to: .event(ArtifactRefused.kind, event.bucket), isMandatory: true)
        let publisher = client(as: user).publisher
        // Comes back until the edge has bound its queue.
        let isTaken = await eventually {
            await publisher.publish(publication, deadline: .now + .seconds(1)) == .confirmed
        }
        #expect(isTaken)
    }
}

extension EdgeRig {
    /// Events that were not their owner's.
    fileprivate var ignoredEvents: Int {
        let name = #"tollgate_edge_events_ignored_total{about="news"} "#
        let line = metrics.render().split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
    }
}
