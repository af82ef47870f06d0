import AttestGateway
import HTTPClient
import Messages
import Synchronization
import TestSupport
import Testing

@Suite("The server's question why")
struct WhyRouteTests {
    static let path = "/api/v1/apps/com.example.tunes/users/user_42/entitlements/pro/why"
    static let chains = ["1", "2", "3"].map {
        UserWhyView.Chain(realm: .stores, originalTransactionID: OriginalTransactionID(rawValue: $0))
    }

    static func view(_ timeline: [TimelineEntry] = [], chains: [UserWhyView.Chain] = []) -> UserWhyView {
        UserWhyView(
            state: .init(
                entitlement: EntitlementID(rawValue: "pro"), environment: .production, isActive: true, since: .epoch,
                trust: .verified, isTest: false),
            at: .epoch, knownAt: .epoch, knownSince: .epoch, timeline: timeline, chains: chains)
    }

    /// Transaction 1-0 of chain 1.
    static func told(knownAt: Timestamp = .epoch) -> TimelineEntry {
        var entry = TimelineEntry(.transactionTold, at: .epoch, knownAt: knownAt)
        entry.realm = .stores
        entry.chain = OriginalTransactionID(rawValue: "1")
        entry.environment = .production
        entry.transaction = TransactionID(rawValue: "1-0")
        entry.signedAt = .epoch
        return entry
    }

    private static func get(_ rig: EdgeRig, _ path: String = path, key: String = "Bearer tk_test") async throws
        -> HTTPResponse
    {
        try await rig.send("GET", path, headers: ["Authorization": key])
    }

    @Test("The story has what both sides know: the effect, the artifact and the message")
    func answer() async throws {
        var effect = Self.told(knownAt: .epoch + .seconds(1))
        effect.product = ProductID(rawValue: "pro.monthly")
        effect.effect = .began
        effect.until = .epoch + .seconds(60)
        var origin = Self.told()
        origin.digest = ArtifactDigest(rawValue: "d1")
        origin.message = MessageID(rawValue: "m1")
        let view = Self.view([effect], chains: Array(Self.chains.prefix(1)))
        let history = ChainHistoryView(entries: [origin])
        try await EdgeRig.with(
            keys: [ShowUserTests.key()], askWhy: { _, _ in .applied(view) },
            askHistory: { _, _ in .applied(history) }
        ) { rig in
            let response = try await Self.get(rig)

            #expect(response.status == 200)
            #expect(
                response.text == """
                    {"appUserId":"user_42","at":"2026-01-30T08:15:00.250Z","knownAt":"2026-01-30T08:15:00.250Z",\
                    "knownSince":"2026-01-30T08:15:00.250Z","state":{"active":true,"entitlement":"pro",\
                    "environment":"production","since":"2026-01-30T08:15:00.250Z","trust":"verified"},\
                    "timeline":[{"artifact":"d1","at":"2026-01-30T08:15:00.250Z","effect":"began",\
                    "environment":"production","knownAt":"2026-01-30T08:15:01.250Z","messageId":"m1",\
                    "originalTransactionId":"1","productId":"pro.monthly","signedAt":"2026-01-30T08:15:00.250Z",\
                    "text":"transaction 1-0 of pro.monthly, bought, as signed 2026-01-30T08:15:00.250Z; \
                    active from here on, until 2026-01-30T08:16:00.250Z","transactionId":"1-0",\
                    "until":"2026-01-30T08:16:00.250Z","what":"transaction_told"}]}
                    """)
        }
    }

    @Test(
        "Ids are decoded once, and may hold slashes, percent signs and anything else",
        arguments: [
            ("a%2Fb", "a/b"), ("%252F", "%2F"), ("Zo%C3%AB%20%E7%B5%84", "Zoë 組"), ("%25", "%"), ("a+b", "a+b"),
            ("%24anon_7", "$anon_7"), ("%2E%2E%2F", "../"),
        ])
    func identifiers(sent: String, expected: String) async throws {
        let asked = Mutex<UserWhy?>(nil)
        let askedForUser = Mutex<UserGet?>(nil)
        try await EdgeRig.with(
            keys: [ShowUserTests.key()],
            askResolver: { question, _ in
                askedForUser.withLock { $0 = question }
                return .applied(ShowUserTests.view)
            },
            askWhy: { question, _ in
                asked.withLock { $0 = question }
                return .applied(Self.view())
            }
        ) { rig in
            let user = "/api/v1/apps/com.example.tunes/users/\(sent)"
            let status = try await Self.get(rig, "\(user)/entitlements/\(sent)/why").status
            let ofUser = try await Self.get(rig, user).status

            #expect([status, ofUser] == [200, 200])
            #expect(asked.withLock { $0?.user.rawValue } == expected)
            #expect(asked.withLock { $0?.entitlement.rawValue } == expected)
            #expect(askedForUser.withLock { $0?.user.rawValue } == expected)
        }
    }

    @Test(
        "Times are RFC 3339 or milliseconds",
        arguments: [
            ("2026-01-30T08:15:00.250Z", Timestamp.epoch), ("2026-01-30T09:15:00.250%2B01:00", .epoch),
            ("2026-01-30T09:15:00.250+01:00", .epoch), ("1769760900250", .epoch), ("0", Timestamp(clamping: 0)),
            ("-1", Timestamp(clamping: -1)),
        ])
    func times(text: String, expected: Timestamp) async throws {
        let asked = Mutex<UserWhy?>(nil)
        let askedForChain = Mutex<ChainHistory?>(nil)
        try await EdgeRig.with(
            keys: [ShowUserTests.key()],
            askWhy: { question, _ in
                asked.withLock { $0 = question }
                return .applied(Self.view(chains: Array(Self.chains.prefix(1))))
            },
            askHistory: { question, _ in
                askedForChain.withLock { $0 = question }
                return .applied(ChainHistoryView())
            }
        ) { rig in
            let status = try await Self.get(rig, Self.path + "?at=\(text)&known_at=\(text)&environment=sandbox").status

            #expect(status == 200)
            #expect(
                asked.withLock { $0 }
                    == UserWhy(
                        organisation: "acme", app: "com.example.tunes", user: "user_42",
                        entitlement: EntitlementID(rawValue: "pro"), environment: .sandbox, at: expected,
                        knownAt: expected))
            #expect(askedForChain.withLock { $0?.knownAt } == expected)
        }
    }

    @Test(
        "What is no time, no environment or too long is 400 and named",
        arguments: [
            ("?at=yesterday", "bad_value", "at"), ("?known_at=", "bad_value", "known_at"),
            ("?known_at=2026-02-30T00:00:00Z", "bad_value", "known_at"),
            ("?at=99999999999999999999", "bad_value", "at"), ("?at=253402300800000", "bad_value", "at"),
            ("?environment=moon", "bad_value", "environment"),
        ])
    func refused(query: String, code: String, field: String) async throws {
        try await EdgeRig.with(keys: [ShowUserTests.key()], askWhy: { _, _ in .applied(Self.view()) }) { rig in
            let response = try await Self.get(rig, Self.path + query)

            #expect(response.status == 400)
            #expect(response.refusal == [code, field])
        }
    }

    @Test("An id over 256 bytes is refused by name, and one that is empty is no route")
    func lengths() async throws {
        let long = String(repeating: "x", count: 257)
        let fits = String(repeating: "x", count: 256)
        try await EdgeRig.with(keys: [ShowUserTests.key()], askWhy: { _, _ in .applied(Self.view()) }) { rig in
            let users = "/api/v1/apps/com.example.tunes/users"
            let user = try await Self.get(rig, "\(users)/\(long)/entitlements/pro/why")
            let entitlement = try await Self.get(rig, "\(users)/u/entitlements/\(long)/why")
            let good = try await Self.get(rig, "\(users)/\(fits)/entitlements/\(fits)/why")
            let empty = try await Self.get(rig, "\(users)/u/entitlements//why")
            let zero = try await Self.get(rig, "\(users)/%00/entitlements/pro/why")

            #expect(user.refusal == ["field_too_long", "appUserId"])
            #expect(entitlement.refusal == ["field_too_long", "entitlement"])
            #expect([user, entitlement, good, empty, zero].map(\.status) == [400, 400, 200, 404, 400])
        }
    }

    @Test("One chain that cannot be asked makes it 503: a story with a hole would look whole")
    func incomplete() async throws {
        let view = Self.view(chains: Self.chains)
        try await EdgeRig.with(
            keys: [ShowUserTests.key()], askWhy: { _, _ in .applied(view) },
            askHistory: { question, _ in
                if question.originalTransactionID.rawValue == "2" { throw Asker.NoAnswer() }
                return .applied(ChainHistoryView())
            }
        ) { rig in
            let response = try await Self.get(rig)

            #expect(response.status == 503)
            #expect(response.header("Retry-After") == "1")
            #expect(response.refusal == ["resolver_unavailable"])
        }
    }

    @Test("Fifty chains are asked a few at a time, within one deadline")
    func bounded() async throws {
        let many = (0..<50).map {
            UserWhyView.Chain(realm: .stores, originalTransactionID: OriginalTransactionID(rawValue: "\($0)"))
        }
        let counts = Mutex((now: 0, most: 0, all: 0))
        try await EdgeRig.with(
            keys: [ShowUserTests.key()], askWhy: { _, _ in .applied(Self.view(chains: many)) },
            askHistory: { _, deadline in
                #expect(deadline <= .seconds(10))
                counts.withLock { counts in
                    counts.now += 1
                    counts.most = max(counts.most, counts.now)
                    counts.all += 1
                }
                await Task.yield()
                counts.withLock { $0.now -= 1 }
                return .applied(ChainHistoryView(isTruncated: true))
            }
        ) { rig in
            let response = try await Self.get(rig)

            #expect(response.status == 200)
            #expect(response.text.hasSuffix(#""truncated":true}"#))
            #expect(counts.withLock { $0.all } == 50)
            #expect(counts.withLock { $0.most } <= 8)
        }
    }

    @Test("A key, an app and a user have to be there")
    func access() async throws {
        try await EdgeRig.with(
            keys: [ShowUserTests.key()], askWhy: { _, _ in .refused(Refusal("user_unknown", "x")) }
        ) { rig in
            let noKey = try await Self.get(rig, key: "Bearer tk_other")
            let noApp = try await Self.get(rig, "/api/v1/apps/nobody/users/u/entitlements/pro/why")
            let noUser = try await Self.get(rig)

            #expect([noKey, noApp, noUser].map(\.status) == [401, 404, 404])
            #expect([noApp, noUser].map(\.refusal) == [["app_unknown"], ["user_unknown"]])
        }
    }
}
