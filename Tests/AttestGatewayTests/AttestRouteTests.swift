import AttestGateway
import Crypto
import Foundation
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("Enrolling a device")
struct AttestRouteTests {
    static let routes = ["attest", "attest/assert"]

    // MARK: Challenges

    @Test(
        "A challenge needs no body, no broker and no registry, and is another one each time",
        arguments: ["", "{}", #"{"bundleId":"com.example.nobody","x":[{}]}"#])
    func challenge(text: String) async throws {
        try await EdgeRig.with(askRegistry: { _, _ in throw Asker.NoAnswer() }) { rig in
            rig.publisher.answer(.notSent(.disconnected))
            rig.edge.registry.lostTouch()
            var challenges: Set<String> = []
            for _ in 0..<3 {
                let response = try await rig.post("attest/challenge", Array(text.utf8))
                #expect(response.status == 200)
                #expect(response.header("Cache-Control") == "no-store")
                #expect(response.header("Access-Control-Allow-Origin") == "*")
                let answer = try JSONDecoder().decode([String: String].self, from: Data(response.body))
                #expect(answer.count == 1)
                challenges.insert(try #require(answer["challenge"]))
            }

            #expect(challenges.count == 3)
            for challenge in challenges {
                let end = Timestamp.epoch + .seconds(300)
                #expect(Challenge.read(challenge, at: .epoch, keys: .test(1)) == .good(until: end))
            }
        }
    }

    @Test("A body that is there has to be an object", arguments: ["[]", "null", "{", "{} ,", #"{"a":1,"a":1}"#, " "])
    func challengeBody(text: String) async throws {
        try await EdgeRig.with { rig in
            let response = try await rig.post("attest/challenge", Array(text.utf8))

            #expect(response.status == 400)
        }
    }

    // MARK: Tokens

    @Test("The registry is asked with all that was sent, and a token is made of its answer")
    func attest() async throws {
        let registrar = Registrar(.applied(Registrar.standing(generation: 3)))
        try await EdgeRig.with(registrar) { rig in
            let response = try await rig.post("attest", body(EdgeRig.proof("attest")))

            #expect(response.status == 200)
            #expect(response.header("Content-Type") == "application/json")
            #expect(response.header("Cache-Control") == "no-store")
            let answer = try JSONDecoder().decode([String: String].self, from: Data(response.body))
            #expect(Array(answer.keys) == ["deviceToken"])
            let token = DeviceToken(
                device: DeviceTokenTests.device, isDevelopment: false, generation: 3,
                expiresAt: .epoch + .seconds(90 * 86_400))
            #expect(DeviceToken.read(answer["deviceToken"] ?? "", at: .epoch, keys: .test(1)) == .good(token))
            #expect(
                registrar.attestations == [
                    AttestationSubmit(
                        organisation: "acme", app: "com.example.tunes", keyID: DeviceTokenTests.device.keyID,
                        attestation: "o2Nm", challenge: EdgeRig.challenge(),
                        challengeExpiresAt: .epoch + .seconds(300))
                ])
            // A token is nothing to write down: nothing goes over the broker but the question.
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("An assertion gets a fresh token too")
    func assert() async throws {
        let registrar = Registrar(.applied(Registrar.standing(.development)))
        try await EdgeRig.with(registrar) { rig in
            let response = try await rig.post("attest/assert", body(EdgeRig.proof("attest/assert")))

            #expect(response.status == 200)
            let answer = try JSONDecoder().decode([String: String].self, from: Data(response.body))
            let token = DeviceToken(
                device: DeviceTokenTests.device, isDevelopment: true, generation: 1,
                expiresAt: .epoch + .seconds(90 * 86_400))
            #expect(DeviceToken.read(answer["deviceToken"] ?? "", at: .epoch, keys: .test(1)) == .good(token))
            #expect(
                registrar.assertions == [
                    AssertionSubmit(
                        organisation: "acme", app: "com.example.tunes", keyID: DeviceTokenTests.device.keyID,
                        assertion: "o2Nm", challenge: EdgeRig.challenge(),
                        challengeExpiresAt: .epoch + .seconds(300))
                ])
        }
    }

    @Test("A token from an environment that nobody has heard of counts as a developer's")
    func newEnvironment() async throws {
        let registrar = Registrar(.applied(Registrar.standing(AttestEnvironment(rawValue: "orbit"))))
        try await EdgeRig.with(registrar) { rig in
            let token = try await rig.enrol()
            let response = try await rig.identify(headers: ["Authorization": "Bearer \(token)"])

            #expect(response.status == 200)
            #expect(try rig.identified.trust == .unverified)
        }
    }

    // MARK: Refusals

    @Test(
        "What the registry refuses is 401 with the name of the step",
        arguments: Refusal.attestation + Refusal.assertion + [
            .challengeExpired, .challengeUsed, .deviceRevoked, .deviceUnknown, .tokenRevoked, .teamMissing,
        ])
    func refused(refusal: Refusal) async throws {
        try await EdgeRig.with(Registrar(.refused(refusal))) { rig in
            for route in Self.routes {
                let response = try await rig.post(route, body(EdgeRig.proof(route)))

                #expect(response.status == 401)
                #expect(response.refusal == [refusal.reason])
                #expect(response.header("WWW-Authenticate") == "Bearer")
                #expect(!response.text.contains("deviceToken"))
            }
        }
    }

    @Test("An app that the registry does not know after all is 404", arguments: routes)
    func appUnknown(route: String) async throws {
        try await EdgeRig.with(Registrar(.refused(.appUnknown))) { rig in
            let response = try await rig.post(route, body(EdgeRig.proof(route)))

            #expect(response.status == 404)
            #expect(response.refusal == ["bundle_unresolved"])
        }
    }

    @Test("What is no challenge of this installation never reaches the registry", arguments: routes)
    func unknownChallenge(route: String) async throws {
        let registrar = Registrar()
        try await EdgeRig.with(registrar) { rig in
            for challenge in ["x", "é", EdgeRig.challenge(keys: .test(2)), EdgeRig.challenge() + "A", EdgeRig.token()] {
                let response = try await rig.post(
                    route, body(EdgeRig.proof(route, challenge: String(challenge.prefix(256)))))

                #expect(response.status == 401)
                #expect(response.refusal == ["challenge_unknown"])
            }
            #expect(registrar.attestations.isEmpty && registrar.assertions.isEmpty)
        }
    }

    @Test(
        "Whether an expired challenge was spent in time, the registry says, as long as it knows",
        arguments: [(-299_999, true), (-300_000, true), (-599_999, true), (-600_000, false), (-9_000_000, false)])
    func expiredChallenge(milliseconds: Int, isAsked: Bool) async throws {
        let registrar = Registrar(.refused(.challengeUsed))
        try await EdgeRig.with(registrar) { rig in
            let challenge = EdgeRig.challenge(at: .epoch + .milliseconds(milliseconds))

            let response = try await rig.post("attest", body(EdgeRig.proof("attest", challenge: challenge)))

            #expect(response.status == 401)
            #expect(response.refusal == [isAsked ? "challenge_used" : "challenge_expired"])
            #expect(registrar.attestations.count == (isAsked ? 1 : 0))
        }
    }

    @Test("No token without an answer: away, late or in trouble, the registry makes it 503", arguments: routes)
    func unavailable(route: String) async throws {
        let registrar = Registrar(nil)
        try await EdgeRig.with(registrar) { rig in
            for answer in [nil, Answer<DeviceStanding>.failed(Refusal("store_busy", "busy"))] {
                registrar.answer(answer)

                let response = try await rig.post(route, body(EdgeRig.proof(route)))

                #expect(response.status == 503)
                #expect(response.refusal == ["registry_unavailable"])
                #expect(response.header("Retry-After") == "1")
                #expect(response.header("Access-Control-Allow-Origin") == "*")
            }
            let name = route == "attest" ? "attest" : "assert"
            #expect(
                rig.metrics.render().contains(
                    #"tollgate_edge_enrolments_total{outcome="unavailable",route="\#(name)"} 2"#))
        }
    }

    @Test(
        "A bundle id that nobody has connected, or two have, is 404; while that cannot be told, 503", arguments: routes)
    func unresolved(route: String) async throws {
        let registrar = Registrar()
        let other = AppRecord(organisation: "umbrella", app: "com.example.tunes", version: 2, changedAt: .epoch)
        try await EdgeRig.with(registrar, apps: [.tunes, other]) { rig in
            let nobody = try await rig.post(
                route, body(EdgeRig.proof(route, challenge: "x"), ["bundleId": #""com.example.nobody""#]))
            let two = try await rig.post(route, body(EdgeRig.proof(route)))
            rig.edge.registry.lostTouch()
            let stale = try await rig.post(route, body(EdgeRig.proof(route)))

            #expect([nobody, two, stale].map(\.status) == [404, 404, 503])
            for response in [nobody, two] { #expect(response.refusal == ["bundle_unresolved"]) }
            #expect(stale.refusal == ["registry_unavailable"])
        }
        try await EdgeRig.with(registrar, apps: [], askRegistry: { _, _ in throw Asker.NoAnswer() }) { rig in
            let unknown = try await rig.post(route, body(EdgeRig.proof(route)))
            #expect(unknown.status == 503)
        }
        #expect(registrar.attestations.isEmpty && registrar.assertions.isEmpty)
    }

    // MARK: Form

    @Test("keyId, challenge and bundleId are 1 to 256 bytes", arguments: routes, ["keyId", "challenge", "bundleId"])
    func identifiers(route: String, field: String) async throws {
        try await EdgeRig.with(Registrar()) { rig in
            func refusal(_ value: String?) async throws -> [String]? {
                try await rig.post(route, body(EdgeRig.proof(route), [field: value])).refusal
            }
            let longest = try await refusal(letters(256))
            #expect(longest?.last != field)
            for (value, code) in [
                (letters(257), "field_too_long"), ("\"\"", "field_empty"), ("null", "missing_member"),
                (nil, "missing_member"), ("7", "wrong_type"),
            ] {
                let refusal = try await refusal(value)
                #expect(refusal == [code, field])
            }
            let nul = try await refusal(#""a\u0000b""#)
            #expect(nul == ["nul", field])
        }
    }

    @Test(
        "What proves it is 1 to so many bytes",
        arguments: [("attest", "attestation", 87_384), ("attest/assert", "assertion", 21_848)])
    func object(route: String, field: String, most: Int) async throws {
        try await EdgeRig.with(Registrar()) { rig in
            func post(_ value: String?) async throws -> HTTPResponse {
                try await rig.post(route, body(EdgeRig.proof(route), [field: value]))
            }
            let longest = try await post(letters(most))
            #expect(longest.status == 200)
            for (value, code) in [
                (letters(most + 1), "field_too_long"), ("\"\"", "field_empty"), (nil, "missing_member"),
                ("{}", "wrong_type"),
            ] {
                let response = try await post(value)
                #expect(response.status == 400)
                #expect(response.refusal == [code, field])
            }
        }
    }

    // MARK: Repeats and limits

    @Test(
        "The same body is asked about again: the registry knows its first outcome, and no token is kept",
        arguments: routes)
    func idempotency(route: String) async throws {
        let registrar = Registrar()
        try await EdgeRig.with(registrar) { rig in
            let headers = ["Idempotency-Key": "k"]
            let same = body(EdgeRig.proof(route))
            let first = try await rig.post(route, headers: headers, same)
            registrar.answer(.refused(.challengeUsed))
            let second = try await rig.post(route, headers: headers, same)
            let other = try await rig.post(route, headers: headers, body(EdgeRig.proof(route), ["x": "1"]))
            let long = try await rig.post(
                route, headers: ["Idempotency-Key": letters(256)], body(EdgeRig.proof(route)))

            #expect([first, second, other, long].map(\.status) == [200, 401, 409, 400])
            #expect(other.refusal == ["idempotency_key_reused", "Idempotency-Key"])
            #expect(registrar.attestations.count + registrar.assertions.count == 2)
        }
    }

    @Test("A device tries as often as one without a token writes, and an address gets no more challenges than that")
    func limits() async throws {
        try await EdgeRig.with(Registrar(), ["TOLLGATE_LIMIT_DEVICE": "2", "TOLLGATE_LIMIT_ADDRESS": "5"]) { rig in
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await rig.post("attest", body(EdgeRig.proof("attest"))).status) }
            let proof = EdgeRig.proof("attest/assert").merging(["keyId": "\"another\""]) { $1 }
            statuses.append(try await rig.post("attest/assert", body(proof)).status)
            for _ in 0..<3 { statuses.append(try await rig.post("attest/challenge").status) }

            #expect(statuses == [200, 200, 429, 200, 200, 200, 429])
        }
    }

    // MARK: Hostile bytes

    @Test("Whatever the bytes, the answer is 400 or 401 and nothing is asked", arguments: ["attest/challenge"] + routes)
    func noise(route: String) async throws {
        let registrar = Registrar()
        let seed = UInt64.random(in: 0...UInt64.max)
        try await EdgeRig.with(registrar, ["TOLLGATE_LIMITS": "off"]) { rig in
            var random = SeededGenerator(seed: seed)
            let good = body(EdgeRig.proof(route, challenge: "x"))
            for _ in 0..<200 {
                var bytes = good
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let index = Int.random(in: bytes.indices, using: &random)
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
                let status = try await rig.post(route, bytes).status
                #expect([200, 400, 401, 404].contains(status), "seed \(seed)")
                if route != "attest/challenge" { #expect(status != 200, "seed \(seed)") }
            }
        }
        #expect(registrar.attestations.isEmpty && registrar.assertions.isEmpty)
    }
}

extension EdgeRig {
    func post(_ route: String, headers: [String: String] = [:], _ body: [UInt8] = []) async throws -> HTTPResponse {
        try await send("POST", "/api/sdk/v1/\(route)", headers: headers, body)
    }

    /// The token that `attest` answers.
    func enrol() async throws -> String {
        let response = try await post("attest", body(EdgeRig.proof("attest")))
        let answer = try JSONDecoder().decode([String: String].self, from: Data(response.body))
        return try #require(answer["deviceToken"])
    }

    /// The last `user.identify.v1` that was sent.
    var identified: UserIdentify {
        get throws {
            try MessageJSON.decode(UserIdentify.self, from: try #require(publisher.published.last).envelope.body)
        }
    }
}
