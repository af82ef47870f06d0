import AttestGateway
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("Paywalls")
struct PaywallRouteTests {
    static let body =
        #"{"bundleId":"com.example.tunes","installId":"i-1","appUserId":"user_42","entitlement":"pro","environment":"Production"}"#
    static let nothing = #"{"skus":[]}"#

    private static func post(_ rig: EdgeRig, _ body: String = body, headers: [String: String] = [:]) async throws
        -> HTTPResponse
    {
        try await rig.post("paywall", headers: headers, Array(body.utf8))
    }

    @Test("What the experiments offer is answered under the names of the SDK API, and never cached on the way")
    func offer() async throws {
        let offer = PaywallOffer(
            entitlement: PaywallDesk.offer.entitlement, skus: PaywallDesk.offer.skus,
            experiment: ExperimentID(rawValue: "e-1"), variant: VariantKey(rawValue: "b"), isForced: true,
            ttlSeconds: 900)
        let desk = PaywallDesk()
        try await EdgeRig.with(Registrar(), paywalls: desk) { rig in
            let plain = try await Self.post(rig)
            desk.answer(.applied(offer))
            let inExperiment = try await Self.post(rig)

            let skus =
                #"[{"kind":"subscription","productId":"com.example.tunes.pro.annual"},{"kind":"iap","productId":"com.example.tunes.credits"}]"#
            #expect(plain.status == 200)
            #expect(plain.text == #"{"entitlement":"pro","skus":\#(skus),"ttlSeconds":3600}"#)
            #expect(
                inExperiment.text
                    == #"{"entitlement":"pro","experimentId":"e-1","forced":true,"skus":\#(skus),"ttlSeconds":900,"variantKey":"b"}"#
            )
            #expect(plain.header("Cache-Control") == "no-store")
            #expect(plain.header("Access-Control-Allow-Origin") == "*")
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test(
        "The environment is StoreKit's; nothing is Production, and what is none of its names is not",
        arguments: [
            (nil, StoreEnvironment.production, false), (#""Production""#, .production, false),
            (#""""#, .production, false), ("null", .production, false), (#""Sandbox""#, .sandbox, true),
            (#""Xcode""#, .xcode, true), (#""TestFlight""#, .sandbox, true),
        ])
    func environments(sent: String?, environment: StoreEnvironment, isForced: Bool) async throws {
        let desk = PaywallDesk()
        try await EdgeRig.with(Registrar(), paywalls: desk) { rig in
            let route = try #require(SDKRoute.all.first { $0.path == "paywall" })
            let response = try await rig.post(
                "paywall", route.bytes(["environment": sent, "forceVariant": #""b""#]))

            #expect(response.status == 200)
            #expect(
                desk.questions == [
                    PaywallResolve(
                        organisation: "acme", app: "com.example.tunes", install: InstallID(rawValue: "i-1"),
                        user: "user_42", entitlement: EntitlementID(rawValue: "pro"), environment: environment,
                        forceVariant: isForced ? VariantKey(rawValue: "b") : nil, trust: .unverified)
                ])
        }
    }

    @Test("Who has a good token is attested, and his organisation's app is meant")
    func attested() async throws {
        let other = AppRecord(organisation: "umbrella", app: "com.example.tunes", version: 2, changedAt: .epoch)
        let desk = PaywallDesk()
        try await EdgeRig.with(Registrar(), paywalls: desk, apps: [.tunes, other]) { rig in
            let unattested = try await Self.post(rig)
            let attested = try await Self.post(rig, headers: BearerTests.headers(EdgeRig.token()))

            #expect(unattested.text == Self.nothing)
            #expect(attested.text != Self.nothing)
            #expect(desk.questions.map(\.organisation) == ["acme"])
            #expect(desk.questions.map(\.trust) == [.attested])
        }
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let outcome: String
        let ask: Ask<PaywallResolve>
        var testDescription: String { outcome }

        init(_ outcome: String, _ ask: @escaping Ask<PaywallResolve>) {
            self.outcome = outcome
            self.ask = ask
        }
    }

    static let failures = [
        Failure("not_configured") { _, _ in
            .applied(PaywallOffer(entitlement: EntitlementID(rawValue: "pro"), skus: [], ttlSeconds: 3600))
        },
        Failure("refused") { _, _ in .refused(.appUnknown) }, Failure("refused") { _, _ in .failed(.appUnknown) },
        Failure("no_owner") { _, _ in throw RequestError.noOwner },
        Failure("broker") { _, _ in throw RequestError.unavailable(.notSent(.blocked)) },
        Failure("broker") { _, _ in throw RequestError.disconnected },
        Failure("deadline") { _, _ in throw RequestError.deadline },
        Failure("undecodable") { _, _ in throw RequestError.undecodable("x") },
        Failure("failed") { _, _ in throw Asker.NoAnswer() },
    ]

    @Test(
        "Whatever goes wrong inside, the app is told to show its own list, and it is counted why", arguments: failures)
    func failing(failure: Failure) async throws {
        try await EdgeRig.with(askPaywall: failure.ask) { rig in
            let response = try await Self.post(rig)

            #expect(response.status == 200)
            #expect(response.text == Self.nothing)
            #expect(response.header("Cache-Control") == "no-store")
            #expect(
                rig.metrics.render().contains(#"tollgate_edge_paywalls_total{outcome="\#(failure.outcome)"} 1"#))
        }
    }

    @Test("A bundle id that nobody has connected, or two have, is answered at once; the registry is not asked")
    func unresolved() async throws {
        try await EdgeRig.with(askRegistry: { _, _ in throw Asker.NoAnswer() }, askPaywall: PaywallDesk().ask) { rig in
            rig.edge.registry.lostTouch()
            let response = try await Self.post(
                rig, Self.body.replacing("com.example.tunes", with: "com.example.nobody"))

            #expect(response.status == 200)
            #expect(response.text == Self.nothing)
            #expect(rig.metrics.render().contains(#"tollgate_edge_paywalls_total{outcome="bundle_unresolved"} 1"#))
            #expect(!rig.metrics.render().contains(#"questions_total{outcome="failed"} 1"#))
        }
    }

    @Test("The experiments get the deadline of the settings, 50 ms unless one is given")
    func deadline() async throws {
        for (environment, expected) in [([:], 50), (["TOLLGATE_PAYWALL_DEADLINE": "7ms"], 7)] {
            try await EdgeRig.with(
                environment,
                askPaywall: { _, deadline in
                    #expect(deadline == .milliseconds(expected))
                    return .applied(PaywallDesk.offer)
                }
            ) { rig in
                let response = try await Self.post(rig)
                #expect(response.status == 200)
            }
        }
    }

    @Test("Under an Idempotency-Key the first offer stays; an answer without one is none to stay")
    func underKey() async throws {
        let desk = PaywallDesk(nil)
        try await EdgeRig.with(Registrar(), paywalls: desk) { rig in
            let headers = ["Idempotency-Key": "k"]
            let failed = try await Self.post(rig, headers: headers)
            desk.answer(.applied(PaywallDesk.offer))
            let offered = try await Self.post(rig, headers: headers)
            desk.answer(nil)
            let repeated = try await Self.post(rig, headers: headers)

            #expect(failed.text == Self.nothing)
            #expect(offered.text != Self.nothing)
            #expect(repeated.text == offered.text)
        }
    }

    @Test("A device asks 30 times a minute, as it writes")
    func limit() async throws {
        try await EdgeRig.with(Registrar(), ["TOLLGATE_LIMIT_DEVICE": "2"]) { rig in
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await Self.post(rig).status) }
            #expect(statuses == [200, 200, 429])
        }
    }

    // MARK: Impressions

    @Test("An impression is one command to the experiments, keyed by the install")
    func impression() async throws {
        let route = try #require(SDKRoute.all.first { $0.path == "paywall/impression" })
        try await EdgeRig.with { rig in
            let response = try await rig.post(
                route.path, route.bytes(["storefront": #""USA""#, "environment": #""Sandbox""#]))

            #expect(response.status == 200)
            #expect(response.text == #"{"ok":true}"#)
            let sent = try #require(rig.publisher.published.first)
            #expect(sent.isMandatory)
            #expect(sent.route == .command(.paywallExperiments, Bucket(of: "acme/com.example.tunes/i-1")))
            #expect(
                try MessageJSON.decode(ImpressionRecord.self, from: sent.envelope.body)
                    == ImpressionRecord(
                        organisation: "acme", app: "com.example.tunes", install: InstallID(rawValue: "i-1"),
                        experiment: ExperimentID(rawValue: "e-1"),
                        renderedSkus: [ProductID(rawValue: "com.example.tunes.pro.annual")], storefront: "USA",
                        environment: .sandbox, trust: .unverified))
        }
    }

    @Test("What was rendered is up to 50 products of 1 to 256 bytes, or none")
    func rendered() async throws {
        let route = try #require(SDKRoute.all.first { $0.path == "paywall/impression" })
        @Sendable func skus(_ count: Int, _ sku: String = #""x""#) -> String {
            "[\(Array(repeating: sku, count: count).joined(separator: ","))]"
        }
        try await EdgeRig.with(["TOLLGATE_LIMITS": "off"]) { rig in
            for (text, refusal) in [
                (skus(0), nil), (skus(49), nil), (skus(50), nil), (skus(51), ["too_many_elements", "renderedSkus"]),
                (skus(1, letters(255)), nil), (skus(2, letters(256)), nil),
                ("[\"x\",\(letters(257))]", ["field_too_long", "renderedSkus[1]"]),
                (#"["x",""]"#, ["field_empty", "renderedSkus[1]"]), (#"["x",7]"#, ["wrong_type", "renderedSkus[1]"]),
                ("null", ["missing_member", "renderedSkus"]), (#""x""#, ["wrong_type", "renderedSkus"]),
            ] as [(String, [String]?)] {
                let response = try await rig.post(route.path, route.bytes(["renderedSkus": text]))
                #expect(response.refusal == refusal, "\(text.prefix(40))")
            }
        }
    }
}
