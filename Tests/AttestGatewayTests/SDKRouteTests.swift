import AttestGateway
import HTTPClient
import Messages
import Messaging
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("The SDK's routes")
struct SDKRouteTests {
    static let attribute =
        #"{"appUserId":"user_42","bundleId":"com.example.tunes","originalTransactionId":"2000000123456789"}"#
    static let notAccepted =
        #"{"error":{"code":"not_accepted","message":"Not known to be accepted; repeating the same request is safe"}}"#

    // MARK: Accepting

    @Test("identify answers with the customer's id, and sends one command with all its headers")
    func identify() async throws {
        try await EdgeRig.with { rig in
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

            let response = try await rig.identify(headers: ["traceparent": trace])

            #expect(response.status == 200)
            #expect(response.text == #"{"ok":true,"id":"3c446a41-fffa-56f4-ab11-e275212260d2"}"#)
            #expect(response.header("Content-Type") == "application/json")
            let sent = try #require(rig.publisher.published.first)
            #expect(rig.publisher.published.count == 1)
            #expect(sent.isMandatory)
            #expect(sent.route == .command(.entitlementResolver, Bucket(of: "acme/user_42")))
            let envelope = sent.envelope
            #expect(envelope.kind == UserIdentify.kind)
            #expect(envelope.key == "acme/user_42")
            #expect(envelope.acceptedAt == .epoch)
            #expect(envelope.traceparent == trace)
            #expect(envelope.properties.appID == "attest-gateway")
            #expect(envelope.properties.contentType == "application/json")
            #expect(envelope.properties.deliveryMode == 2)
            #expect(envelope.id?.rawValue.dropFirst(14).first == "7")
            #expect(
                try MessageJSON.decode(UserIdentify.self, from: envelope.body)
                    == UserIdentify(
                        organisation: "acme", app: "com.example.tunes", user: "user_42", trust: .unverified))
        }
    }

    @Test("attribute sends what a store signed to the validator, and a bare claim to the resolver")
    func attribute() async throws {
        try await EdgeRig.with { rig in
            let signed = try await rig.attribute(Self.attribute.dropLast() + #","jws":"e30.e30.c2ln"}"#)
            let bare = try await rig.attribute(Self.attribute)

            #expect([signed.status, bare.status] == [200, 200])
            #expect([signed.text, bare.text] == [#"{"ok":true}"#, #"{"ok":true}"#])
            let sent = rig.publisher.published
            #expect(sent.map(\.envelope.kind) == [ArtifactSubmit.kind, LinkClaim.kind])
            #expect(sent.map(\.isMandatory) == [true, true])
            #expect(sent[1].route == .command(.entitlementResolver, Bucket(of: "acme/2000000123456789")))
            let submit = try MessageJSON.decode(ArtifactSubmit.self, from: sent[0].envelope.body)
            #expect(sent[0].route == .command(.receiptValidator, submit.bucket))
            #expect(submit.claim?.user == "user_42")
            // Invented where the caller brings none.
            #expect(sent[0].envelope.traceparent.flatMap(TraceContext.init(traceparent:)) != nil)
        }
    }

    @Test("Each request is a message of its own, however alike")
    func noIdentityByContent() async throws {
        try await EdgeRig.with { rig in
            for user in ["A", "B", "A"] {
                let response = try await rig.attribute(
                    #"{"appUserId":"\#(user)","bundleId":"com.example.tunes","originalTransactionId":"1"}"#)
                #expect(response.status == 200)
            }

            #expect(Set(rig.publisher.published.map(\.envelope.id)).count == 3)
        }
    }

    @Test("Nobody is answered before the broker has confirmed")
    func confirmFirst() async throws {
        let gate = Gate()
        try await EdgeRig.with { rig in
            rig.publisher.hold(gate)
            let isAnswered = Mutex(false)

            @Sendable func identify() async throws -> Int {
                let status = try await rig.identify().status
                isAnswered.withLock { $0 = true }
                return status
            }
            async let status = identify()
            #expect(await eventually { !rig.publisher.published.isEmpty })
            // Somebody else is answered meanwhile: the server is not what holds it up.
            let other = try await rig.send("GET", "/api/sdk/v1/identify").status
            #expect(other == 405)
            #expect(!isAnswered.withLock { $0 })
            gate.open()

            let answered = try await status
            #expect(answered == 200)
        }
    }

    @Test(
        "Anything but a confirmation is 503 with Retry-After",
        arguments: [
            (PublishOutcome.unknown, "1"), (.returned, "1"), (.refused, "1"), (.notSent(.blocked), "5"),
            (.notSent(.disconnected), "1"), (.notSent(.deadline), "1"), (.notSent(.overloaded), "1"),
            (.notSent(.unsendable), "1"),
        ])
    func notAccepted(outcome: PublishOutcome, seconds: String) async throws {
        try await EdgeRig.with { rig in
            rig.publisher.answer(outcome)

            let identify = try await rig.identify()
            let attribute = try await rig.attribute(Self.attribute)

            for response in [identify, attribute] {
                #expect(response.status == 503)
                #expect(response.header("Retry-After") == seconds)
                #expect(response.text == Self.notAccepted)
                #expect(response.header("Access-Control-Allow-Origin") == "*")
            }
        }
    }

    // MARK: Which app

    @Test("A bundle id that nobody has connected, or two have, is answered and dropped")
    func unresolved() async throws {
        let other = AppRecord(organisation: "umbrella", app: "com.example.tunes", version: 2, changedAt: .epoch)
        try await EdgeRig.with(apps: [.tunes, other]) { rig in
            for bundle in ["com.example.nobody", "com.example.tunes"] {
                let response = try await rig.identify(#"{"appUserId":"u","bundleId":"\#(bundle)"}"#)

                #expect(response.status == 200)
                #expect(response.text == #"{"ok":true,"dropped":"bundle_unresolved"}"#)
            }
            #expect(rig.publisher.published.isEmpty)
            #expect(rig.metrics.render().contains(#"tollgate_edge_dropped_total{reason="bundle_unresolved"} 2"#))
        }
    }

    @Test("An app that was connected a moment ago is served, once the registry has been asked")
    func justConnected() async throws {
        let new = AppRecord(organisation: "acme", app: "com.example.new", version: 3, changedAt: .epoch)
        try await EdgeRig.with(
            askRegistry: { _, _ in .applied(.init(version: 3, apps: [.tunes, new], keys: [])) }
        ) { rig in
            let response = try await rig.identify(#"{"appUserId":"u","bundleId":"com.example.new"}"#)

            #expect(response.status == 200)
            #expect(!response.text.contains("dropped"))
            #expect(rig.publisher.published.count == 1)
        }
    }

    @Test("While the registry is away, what is known is served and the rest is 503")
    func registryAway() async throws {
        try await EdgeRig.with(askRegistry: { _, _ in throw Asker.NoAnswer() }) { rig in
            let known = try await rig.identify()
            let unknown = try await rig.identify(#"{"appUserId":"u","bundleId":"com.example.new"}"#)
            rig.edge.registry.lostTouch()
            let stale = try await rig.identify()
            let staleUnknown = try await rig.identify(#"{"appUserId":"u","bundleId":"com.example.new"}"#)

            #expect([known.status, unknown.status, stale.status, staleUnknown.status] == [200, 503, 200, 503])
            #expect(unknown.refusal == ["registry_unavailable"])
            #expect(unknown.header("Retry-After") == "1")
        }
    }

    // MARK: What surrounds them

    @Test("Any page may call: preflight for a day, and the origin on every answer, errors too")
    func crossOrigin() async throws {
        try await EdgeRig.with { rig in
            for path in ["identify", "attribute"] {
                let preflight = try await rig.send("OPTIONS", "/api/sdk/v1/\(path)", headers: ["Origin": "https://x"])
                #expect(preflight.status == 204)
                #expect(preflight.header("Access-Control-Allow-Origin") == "*")
                #expect(preflight.header("Access-Control-Allow-Methods") == "POST, OPTIONS")
                #expect(
                    preflight.header("Access-Control-Allow-Headers")
                        == "authorization, content-type, idempotency-key, traceparent")
                #expect(preflight.header("Access-Control-Max-Age") == "86400")
            }
            let good = try await rig.identify()
            let bad = try await rig.identify("{")
            let method = try await rig.send("PUT", "/api/sdk/v1/identify")
            let nowhere = try await rig.send("POST", "/api/sdk/v1/nowhere")
            #expect([good, bad, method, nowhere].map(\.status) == [200, 400, 405, 404])
            for response in [good, bad, method, nowhere] {
                #expect(response.header("Access-Control-Allow-Origin") == "*")
                #expect(response.header("Cache-Control") == "no-store")
            }
            #expect(method.header("Allow") == "OPTIONS, POST")
            let server = try await rig.send("GET", "/api/v1/apps/a/users/b")
            #expect(server.header("Access-Control-Allow-Origin") == nil)
            #expect(server.header("Cache-Control") == "no-store")
        }
    }

    @Test(
        "A body over 256 KiB is refused before it is read, and any page may read that",
        arguments: ["identify", "attribute"])
    func tooLarge(path: String) async throws {
        try await EdgeRig.with { rig in
            let limit = 256 * 1024
            let frame = #"{"appUserId":"u","bundleId":"com.example.tunes","originalTransactionId":"1","x":""}"#
            let filler = String(repeating: "x", count: limit - frame.utf8.count)
            let fits = frame.dropLast(2) + filler + #""}"#

            let taken = try await rig.send("POST", "/api/sdk/v1/\(path)", Array(fits.utf8))
            let refused = try await rig.send("POST", "/api/sdk/v1/\(path)", Array((fits + " ").utf8))

            #expect(taken.status == 200)
            #expect(refused.status == 413)
            #expect(refused.header("Access-Control-Allow-Origin") == "*")
            #expect(refused.header("Cache-Control") == "no-store")
        }
    }

    @Test(
        "A token that is present and not good is 401, never taken for none",
        arguments: ["Bearer dt_abc", "Bearer x", "Bearer", "Basic dTpw", "dt_abc"])
    func tokens(authorization: String) async throws {
        try await EdgeRig.with { rig in
            let identify = try await rig.identify(headers: ["Authorization": authorization])
            let attribute = try await rig.attribute(Self.attribute, headers: ["Authorization": authorization])

            #expect([identify.status, attribute.status] == [401, 401])
            #expect(identify.refusal == ["token_malformed"])
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("A refusal says code, sentence and field")
    func refusals() async throws {
        try await EdgeRig.with { rig in
            let missing = try await rig.identify(#"{"bundleId":"com.example.tunes"}"#)
            let type = try await rig.attribute(#"{"appUserId":7}"#)
            let nested = try await rig.identify(
                #"{"appUserId":"u","bundleId":"b","attributes":{"x":[]}}"#)
            let key = try await rig.identify(headers: ["Idempotency-Key": String(repeating: "x", count: 256)])

            #expect([missing, type, nested, key].map(\.status) == [400, 400, 400, 400])
            #expect(missing.refusal == ["missing_member", "appUserId"])
            #expect(type.refusal == ["wrong_type", "appUserId"])
            #expect(nested.refusal == ["wrong_type", "attributes.x"])
            #expect(key.refusal == ["idempotency_key_malformed", "Idempotency-Key"])
        }
    }
}
