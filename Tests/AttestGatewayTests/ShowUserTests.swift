import AttestGateway
import HTTPClient
import JSON
import Messages
import Synchronization
import TestSupport
import Testing

@Suite("The server's question for a user")
struct ShowUserTests {
    static let secret = "tk_test"

    static func key(
        _ secret: String = secret, scope: KeyRecord.Scope = .read, organisation: OrganisationID = "acme",
        revokedAt: Timestamp? = nil
    ) -> KeyRecord {
        KeyRecord(
            organisation: organisation, id: KeyID(rawValue: secret), digest: digest(of: secret), scope: scope,
            addedAt: .epoch,
            revokedAt: revokedAt, version: 2)
    }

    static let view = UserView(
        customer: .init(
            user: "user_42", firstSeen: .epoch, lastSeen: .epoch + .seconds(1), platform: "ios",
            attributes: ["plan": .text("pro"), "age": .integer(42)], trust: .unverified),
        transactions: [
            .init(
                originalTransactionID: OriginalTransactionID(rawValue: "1"),
                latest: StoreTransaction(
                    id: TransactionID(rawValue: "2"), originalID: OriginalTransactionID(rawValue: "1"),
                    product: ProductID(rawValue: "pro.monthly"), productType: .autoRenewable,
                    environment: .production, purchasedAt: .epoch, expiresAt: .epoch + .seconds(60),
                    signedAt: .epoch),
                count: 2, trust: .verified, since: .epoch, isTest: true)
        ],
        entitlements: [
            .init(
                entitlement: EntitlementID(rawValue: "pro"), environment: .production, isActive: true, since: .epoch,
                until: .epoch + .seconds(60), transaction: TransactionID(rawValue: "2"),
                product: ProductID(rawValue: "pro.monthly"), trust: .verified, isTest: true, reason: .gracePeriod,
                willRenew: true, renewsAs: ProductID(rawValue: "pro.yearly"))
        ], isTest: true)

    private static func get(
        _ rig: EdgeRig, _ path: String = "/api/v1/apps/com.example.tunes/users/user_42",
        key: String? = "Bearer \(secret)"
    ) async throws -> (status: Int, refusal: [String]?, text: String) {
        let response = try await rig.send("GET", path, headers: key.map { ["Authorization": $0] } ?? [:])
        return (response.status, response.refusal, response.text)
    }

    @Test("The answer has customer, transactions and entitlements, named as the SDK names things; of any resolver")
    func answer() async throws {
        let asked = Mutex<UserGet?>(nil)
        try await EdgeRig.with(
            keys: [Self.key()],
            askResolver: { question, _ in
                asked.withLock { $0 = question }
                return .applied(Self.view)
            }
        ) { rig in
            let response = try await Self.get(
                rig, "/api/v1/apps/com.example.tunes/users/user%5F42?environment=sandbox")

            #expect(response.status == 200)
            #expect(
                asked.withLock { $0 }
                    == UserGet(organisation: "acme", app: "com.example.tunes", user: "user_42", environment: .sandbox))
            #expect(
                response.text == """
                    {"customer":{"appUserId":"user_42","attributes":{"age":42,"plan":"pro"},\
                    "firstSeen":"2026-01-30T08:15:00.250Z","id":"3c446a41-fffa-56f4-ab11-e275212260d2",\
                    "lastSeen":"2026-01-30T08:15:01.250Z","platform":"ios","trust":"unverified"},\
                    "entitlements":[{"active":true,"entitlement":"pro","environment":"production",\
                    "productId":"pro.monthly","reason":"grace_period","renewsAs":"pro.yearly",\
                    "since":"2026-01-30T08:15:00.250Z","test":true,"transactionId":"2","trust":"verified",\
                    "until":"2026-01-30T08:16:00.250Z","willRenew":true}],"environment":"sandbox","test":true,\
                    "transactions":[{"count":2,"environment":"production","expiresAt":"2026-01-30T08:16:00.250Z",\
                    "originalTransactionId":"1","productId":"pro.monthly",\
                    "productType":"Auto-Renewable Subscription","purchasedAt":"2026-01-30T08:15:00.250Z",\
                    "since":"2026-01-30T08:15:00.250Z","test":true,"transactionId":"2","trust":"verified"}]}
                    """)
        }
    }

    @Test("What the resolver has written is passed on as it stands")
    func document() async throws {
        let asked = Mutex<UserDocumentGet?>(nil)
        let document = try JSONFragment(
            UserAnswer(Self.view, id: "3c446a41-fffa-56f4-ab11-e275212260d2", environment: .sandbox))
        try await EdgeRig.with(
            keys: [Self.key()], askResolver: { _, _ in throw Asker.NoAnswer() },
            askForDocument: { question, _ in
                asked.withLock { $0 = question }
                return .applied(document)
            }
        ) { rig in
            let response = try await Self.get(
                rig, "/api/v1/apps/com.example.tunes/users/user%5F42?environment=sandbox")

            #expect(response.status == 200)
            #expect(Array(response.text.utf8) == document.bytes)
            #expect(
                asked.withLock { $0 }
                    == UserDocumentGet(
                        organisation: "acme", app: "com.example.tunes", user: "user_42", environment: .sandbox,
                        customerID: "3c446a41-fffa-56f4-ab11-e275212260d2"))
        }
    }

    @Test("A resolver that cannot write one is not asked for what it is made of, unless it has not heard of such")
    func failures() async throws {
        for (reason, status) in [("failed", 503), ("took_too_long", 503), ("kind_unknown", 200)] {
            try await EdgeRig.with(
                keys: [Self.key()], askResolver: { _, _ in .applied(Self.view) },
                askForDocument: { _, _ in .failed(Refusal(reason, "x")) }
            ) { rig in
                let answered = try await Self.get(rig).status
                #expect(answered == status, "\(reason)")
            }
        }
    }

    @Test("Production is asked about unless another environment is named, and it has to be one")
    func environments() async throws {
        let asked = Mutex<[StoreEnvironment]>([])
        try await EdgeRig.with(
            keys: [Self.key()],
            askResolver: { question, _ in
                asked.withLock { $0.append(question.environment) }
                return .applied(Self.view)
            }
        ) { rig in
            let path = "/api/v1/apps/com.example.tunes/users/user_42"
            for query in ["", "?environment=production", "?environment=sandbox", "?environment=xcode"] {
                let answered = try await Self.get(rig, path + query).status
                #expect(answered == 200)
            }
            #expect(asked.withLock { $0 } == [.production, .production, .sandbox, .xcode])
            for query in ["?environment=", "?environment=Production", "?environment=unknown"] {
                let response = try await Self.get(rig, path + query)
                #expect(response.status == 400)
                #expect(response.refusal == ["bad_value", "environment"])
            }
        }
    }

    @Test("Without a good key it is 401")
    func keys() async throws {
        let keys = [Self.key(), Self.key("tk_revoked", revokedAt: .epoch)]
        try await EdgeRig.with(keys: keys, askResolver: { _, _ in .applied(Self.view) }) { rig in
            let missing = try await Self.get(rig, key: nil)
            let unknown = try await Self.get(rig, key: "Bearer tk_other")
            let malformed = try await Self.get(rig, key: "Bearer dt_token")
            let basic = try await Self.get(rig, key: "Basic dTpw")
            let revoked = try await Self.get(rig, key: "Bearer tk_revoked")
            let good = try await Self.get(rig, key: "bearer \(Self.secret)")

            #expect([missing, unknown, malformed, basic, revoked].map(\.status) == [401, 401, 401, 401, 401])
            #expect(missing.refusal == ["key_missing"])
            #expect([unknown, malformed, basic].map(\.refusal) == [["key_unknown"], ["key_unknown"], ["key_unknown"]])
            #expect(revoked.refusal == ["key_revoked"])
            #expect(good.status == 200)
        }
    }

    @Test(
        "Any scope may look; one that is not known may not",
        arguments: [("read", 200), ("write", 200), ("admin", 200), ("x", 403)])
    func scopes(scope: String, status: Int) async throws {
        try await EdgeRig.with(
            keys: [Self.key(scope: KeyRecord.Scope(rawValue: scope))], askResolver: { _, _ in .applied(Self.view) }
        ) { rig in
            let answered = try await Self.get(rig).status
            #expect(answered == status)
        }
    }

    @Test("A key that was added a moment ago is good, once the registry has been asked")
    func newKey() async throws {
        try await EdgeRig.with(
            askRegistry: { _, _ in .applied(.init(version: 3, apps: [.tunes], keys: [Self.key()])) },
            askResolver: { _, _ in .applied(Self.view) }
        ) { rig in
            let answered = try await Self.get(rig).status
            #expect(answered == 200)
        }
    }

    @Test("While the registry is away, a key that is not known is 503, not unknown")
    func registryAway() async throws {
        try await EdgeRig.with(
            keys: [Self.key()], askRegistry: { _, _ in throw Asker.NoAnswer() },
            askResolver: { _, _ in .applied(Self.view) }
        ) { rig in
            let known = try await Self.get(rig)
            let unknown = try await Self.get(rig, key: "Bearer tk_other")

            #expect(known.status == 200)
            #expect(unknown.status == 503)
            #expect(unknown.refusal == ["registry_unavailable"])
        }
    }

    @Test("Another organisation's app, and one that nobody has, are unknown alike")
    func apps() async throws {
        let other = AppRecord(organisation: "umbrella", app: "com.example.other", version: 2, changedAt: .epoch)
        try await EdgeRig.with(
            apps: [.tunes, other], keys: [Self.key()], askResolver: { _, _ in .applied(Self.view) }
        ) { rig in
            for app in ["com.example.other", "com.example.nobody"] {
                let response = try await Self.get(rig, "/api/v1/apps/\(app)/users/user_42")
                #expect(response.status == 404)
                #expect(response.refusal == ["app_unknown"])
            }
        }
    }

    @Test("An id over 256 bytes is refused by name")
    func lengths() async throws {
        try await EdgeRig.with(keys: [Self.key()], askResolver: { _, _ in .applied(Self.view) }) { rig in
            let long = String(repeating: "x", count: 257)

            let user = try await Self.get(rig, "/api/v1/apps/com.example.tunes/users/\(long)")
            let app = try await Self.get(rig, "/api/v1/apps/\(long)/users/u")

            #expect([user.status, app.status] == [400, 400])
            #expect(user.refusal == ["field_too_long", "appUserId"])
            #expect(app.refusal == ["field_too_long", "bundleId"])
        }
    }

    @Test(
        "What the resolver says is passed on: an unknown user is 404, no verdict is 503",
        arguments: [
            (Answer<UserView>.refused(Refusal("user_unknown", "x")), 404, "user_unknown"),
            (.refused(Refusal("app_unknown", "x")), 503, "resolver_unavailable"),
            (.failed(Refusal("failed", "x")), 503, "resolver_unavailable"),
        ])
    func refusals(answer: Answer<UserView>, status: Int, code: String) async throws {
        try await EdgeRig.with(keys: [Self.key()], askResolver: { _, _ in answer }) { rig in
            let response = try await Self.get(rig)

            #expect(response.status == status)
            #expect(response.refusal == [code])
        }
    }

    @Test("A resolver that is away is 503 with Retry-After")
    func resolverAway() async throws {
        try await EdgeRig.with(keys: [Self.key()]) { rig in
            let response = try await rig.send(
                "GET", "/api/v1/apps/com.example.tunes/users/u", headers: ["Authorization": "Bearer \(Self.secret)"])

            #expect(response.status == 503)
            #expect(response.header("Retry-After") == "1")
            #expect(response.refusal == ["resolver_unavailable"])
        }
    }
}
