import AttestGateway
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("A device token on a request")
struct BearerTests {
    static let routes = ["identify", "attribute", "attest/challenge", "attest", "attest/assert"]

    static func headers(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

    /// A body that `route` takes.
    static func body(of route: String) -> [UInt8] {
        switch route {
        case "identify": Array(#"{"appUserId":"user_42","bundleId":"com.example.tunes"}"#.utf8)
        case "attribute": Array(SDKRouteTests.attribute.utf8)
        case "attest/challenge": []
        default: AttestGatewayTests.body(EdgeRig.proof(route))
        }
    }

    @Test("A good one is good on every route, whatever the case of its scheme", arguments: routes)
    func good(route: String) async throws {
        try await EdgeRig.with(Registrar()) { rig in
            for scheme in ["Bearer ", "bearer ", "BEARER   "] {
                let response = try await rig.post(
                    route, headers: ["Authorization": scheme + EdgeRig.token()], Self.body(of: route))
                #expect(response.status == 200)
            }
        }
    }

    @Test("Its bearer's facts are attested, and so is the rank of his claims; a store's signature goes along with that")
    func trust() async throws {
        try await EdgeRig.with { rig in
            _ = try await rig.identify(headers: Self.headers(EdgeRig.token()))
            #expect(try rig.identified.trust == .attested)
            _ = try await rig.attribute(SDKRouteTests.attribute, headers: Self.headers(EdgeRig.token()))
            _ = try await rig.attribute(
                SDKRouteTests.attribute.dropLast() + #","jws":"e30.e30.c2ln"}"#,
                headers: Self.headers(EdgeRig.token()))

            let sent = rig.publisher.published.map(\.envelope)
            #expect(sent.map(\.kind) == [UserIdentify.kind, LinkClaim.kind, ArtifactSubmit.kind])
            #expect(try MessageJSON.decode(LinkClaim.self, from: sent[1].body).rank == .attested)
            #expect(try MessageJSON.decode(ArtifactSubmit.self, from: sent[2].body).claim?.trust == .attested)
            // The token itself goes nowhere.
            for envelope in sent { #expect(!String(decoding: envelope.body, as: UTF8.self).contains("dt_")) }
        }
    }

    @Test("A developer's device is let in, and its word is worth no more than anybody's")
    func development() async throws {
        try await EdgeRig.with { rig in
            let headers = Self.headers(EdgeRig.token(isDevelopment: true))
            let identify = try await rig.identify(headers: headers)
            #expect(try rig.identified.trust == .unverified)
            let attribute = try await rig.attribute(SDKRouteTests.attribute, headers: headers)

            #expect([identify.status, attribute.status] == [200, 200])
            let claim = try #require(rig.publisher.published.last).envelope
            #expect(try MessageJSON.decode(LinkClaim.self, from: claim.body).rank == .unverified)
        }
    }

    @Test(
        "One that is not good is 401 with its reason on every route, before anything else is looked at",
        arguments: routes)
    func refused(route: String) async throws {
        let registrar = Registrar()
        try await EdgeRig.with(registrar) { rig in
            rig.edge.registry.take(Registrar.standing(generation: 3, least: 3, version: 9))
            for (token, code) in [
                (EdgeRig.token(keys: .test(2)), "token_malformed"), ("dt_abc", "token_malformed"),
                ("tk_secret", "token_malformed"), ("", "token_malformed"),
                (EdgeRig.token(until: .epoch), "token_expired"), (EdgeRig.token(generation: 2), "token_revoked"),
            ] {
                for bytes in [Self.body(of: route), Array("{".utf8)] {
                    let response = try await rig.post(route, headers: Self.headers(token), bytes)
                    #expect(response.status == 401)
                    #expect(response.refusal == [code])
                    #expect(response.header("WWW-Authenticate") == "Bearer")
                }
            }
            #expect(rig.publisher.published.isEmpty)
            #expect(registrar.attestations.isEmpty && registrar.assertions.isEmpty)
            let metrics = rig.metrics.render()
            #expect(metrics.contains(#"tollgate_edge_tokens_refused_total{reason="token_malformed"} 8"#))
            #expect(metrics.contains(#"tollgate_edge_tokens_refused_total{reason="token_revoked"} 2"#))
        }
    }

    @Test("Of another app than the body names it is 401, and nothing is sent", arguments: routes)
    func wrongApp(route: String) async throws {
        let other = AppRecord(organisation: "acme", app: "com.example.radio", version: 2, changedAt: .epoch)
        let device = AttestedDevice(
            organisation: "acme", app: "com.example.radio", keyID: DeviceTokenTests.device.keyID)
        try await EdgeRig.with(Registrar(), apps: [.tunes, other]) { rig in
            let response = try await rig.post(
                route, headers: Self.headers(EdgeRig.token(of: device)), Self.body(of: route))

            // A challenge is of no app.
            #expect(response.status == (route == "attest/challenge" ? 200 : 401))
            #expect(response.refusal == (route == "attest/challenge" ? nil : ["token_wrong_app"]))
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("Among organisations that have connected the same bundle id, the token tells which one is meant")
    func organisation() async throws {
        let other = AppRecord(organisation: "umbrella", app: "com.example.tunes", version: 2, changedAt: .epoch)
        let device = AttestedDevice(
            organisation: "umbrella", app: "com.example.tunes", keyID: DeviceTokenTests.device.keyID)
        let registrar = Registrar()
        try await EdgeRig.with(registrar, apps: [.tunes, other]) { rig in
            _ = try await rig.identify(headers: Self.headers(EdgeRig.token(of: device)))
            #expect(try rig.identified.organisation == "umbrella")
            _ = try await rig.identify(headers: Self.headers(EdgeRig.token()))
            #expect(try rig.identified.organisation == "acme")
            _ = try await rig.post(
                "attest/assert", headers: Self.headers(EdgeRig.token(of: device)), Self.body(of: "attest/assert"))
            #expect(registrar.assertions.map(\.organisation) == ["umbrella"])
            let without = try await rig.identify()
            #expect(without.text.contains("bundle_unresolved"))
        }
    }

    @Test("Of an organisation that has not connected the app, as far as the registry knows, nothing is stored")
    func strangeOrganisation() async throws {
        let device = AttestedDevice(
            organisation: "umbrella", app: "com.example.tunes", keyID: DeviceTokenTests.device.keyID)
        try await EdgeRig.with { rig in
            let response = try await rig.identify(headers: Self.headers(EdgeRig.token(of: device)))

            #expect(response.text.contains("bundle_unresolved"))
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("Two tokens at once are none")
    func twice() async throws {
        try await EdgeRig.with { rig in
            let response = try await rig.identify(headers: [
                "Authorization": "Bearer \(EdgeRig.token())", "authorization": "Bearer \(EdgeRig.token())",
            ])

            #expect(response.refusal == ["token_malformed"])
        }
    }

    @Test("While the registry is away, tokens are as good as ever")
    func registryAway() async throws {
        try await EdgeRig.with(askRegistry: { _, _ in throw Asker.NoAnswer() }) { rig in
            rig.edge.registry.take(Registrar.standing(generation: 2, least: 2, version: 9))
            rig.edge.registry.lostTouch()

            let good = try await rig.identify(headers: Self.headers(EdgeRig.token(generation: 2)))
            let revoked = try await rig.identify(headers: Self.headers(EdgeRig.token(generation: 1)))

            #expect([good.status, revoked.status] == [200, 401])
        }
    }
}

@Suite("What an edge knows of devices")
struct DeviceViewTests {
    static func token(_ generation: UInt32) -> DeviceToken {
        DeviceToken(
            device: DeviceTokenTests.device, isDevelopment: false, generation: generation, expiresAt: .distantFuture)
    }
    static let nothing = RegistrySnapshot.Value(version: 0, apps: [], keys: [])

    @Test("A token is good from the least generation of its device on; of others nothing need be known")
    func generations() {
        var view = RegistryView(Self.nothing)
        let other = AttestedDevice(organisation: "acme", app: "com.example.tunes", keyID: DeviceTokenTests.keyID([1]))

        #expect(view.accepts(Self.token(1)))
        view.take(Registrar.standing(generation: 3, least: 3, version: 4))
        view.take(Registrar.standing(of: other, generation: 9, least: 9, version: 5))

        #expect([1, 2, 3, 4].map { view.accepts(Self.token($0)) } == [false, false, true, true])
        #expect(view.version == 5)
    }

    @Test("A revoked device has no good token, whatever its generation")
    func revoked() {
        var view = RegistryView(Self.nothing)
        view.take(Registrar.standing(generation: 3, least: 4, revokedAt: .epoch, version: 4))

        #expect(!view.accepts(Self.token(3)))
        #expect(!view.accepts(Self.token(.max)))
    }

    @Test("The newest version counts, in whatever order snapshots and events come, and all of it is kept")
    func anyOrder() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let standings = (1...6).map { Registrar.standing(generation: $0, least: $0, version: $0) }
        for _ in 0..<100 {
            var view = RegistryView(Self.nothing)
            for standing in standings.shuffled(using: &random) {
                if Bool.random(using: &random) {
                    view.merge(.init(version: standing.version, apps: [], keys: [], devices: [standing]))
                } else {
                    view.take(standing)
                }
            }
            #expect(!view.accepts(Self.token(5)) && view.accepts(Self.token(6)), "seed \(seed)")
            #expect(view.snapshot.devices == [standings[5]], "seed \(seed)")
        }
    }

    @Test("The first attestation of a device takes no room")
    func first() {
        var view = RegistryView(Self.nothing)

        let isNews = view.take(Registrar.standing(version: 0))

        #expect(!isNews)
        #expect(view.snapshot.devices == nil)
    }

    @Test("Attestations and revocations are followed, from the registry alone, and kept on disk")
    func followed() async throws {
        let rig = FollowerTests.Rig()
        rig.answer(FollowerTests.snapshot())

        try await rig.runs { rig in
            #expect(await rig.becomes(.fresh))
            @Sendable func accepts(_ generation: UInt32) -> Bool {
                rig.projection.known { $0.accepts(Self.token(generation)) } == true
            }
            try rig.publish(
                DeviceRevoked(device: Registrar.standing(least: 2, revokedAt: .epoch, version: 9)), as: .operatorTool)
            try rig.publish(DeviceAttested(device: Registrar.standing(generation: 2, least: 2, version: 1)))
            #expect(await eventually(every: .milliseconds(1)) { !accepts(1) })
            #expect(accepts(2))
            try rig.publish(
                DeviceRevoked(device: Registrar.standing(generation: 2, least: 3, revokedAt: .epoch, version: 2)))
            #expect(await eventually(every: .milliseconds(1)) { !accepts(2) })
            let file = SnapshotFile(in: rig.folder.path)
            let isKept = await eventually { (try? await file.load())?.devices?.first?.revokedAt == .epoch }
            #expect(isKept)
        }
    }
}
