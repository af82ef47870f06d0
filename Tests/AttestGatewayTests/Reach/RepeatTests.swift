import AttestGateway
import HTTPClient
import Messages
import Messaging
import Synchronization
import TestSupport
import Testing

@Suite("Every body twice, and in both orders")
struct RepeatTests {
    /// What the services are told: kind, key and body of each message, however often it is said.
    private static func facts(_ published: [Publication]) -> Set<[String]> {
        Set(
            published.map {
                [
                    $0.route.exchange.rawValue, $0.route.routingKey, $0.envelope.kind?.rawValue ?? "",
                    $0.envelope.key ?? "", String(decoding: $0.envelope.body, as: UTF8.self),
                ]
            })
    }

    private static func send(
        _ bodies: [[UInt8]], to route: SDKRoute, _ registrar: Registrar, _ paywalls: PaywallDesk = PaywallDesk(),
        headers: [String: String] = [:]
    ) async throws -> (responses: [HTTPResponse], published: [Publication]) {
        let sent = Mutex<(responses: [HTTPResponse], published: [Publication])>(([], []))
        try await EdgeRig.with(registrar, paywalls: paywalls) { rig in
            for body in bodies {
                let response = try await rig.send("POST", "/api/sdk/v1/\(route.path)", headers: headers, body)
                sent.withLock { $0.responses.append(response) }
            }
            sent.withLock { $0.published = rig.publisher.published }
        }
        return sent.withLock { $0 }
    }

    @Test("Both are taken each time, and the services are told the same, whatever came first", arguments: SDKRoute.all)
    func orders(route: SDKRoute) async throws {
        let (a, b) = (route.bytes(), route.bytes(route.change.mapValues(Optional.some)))
        let (there, back) = (Registrar(), Registrar())
        let (asked, askedBack) = (PaywallDesk(), PaywallDesk())

        let once = try await Self.send([a, b], to: route, there, asked)
        let twice = try await Self.send([b, a, b, a], to: route, back, askedBack)

        #expect((once.responses + twice.responses).allSatisfy { $0.status == 200 })
        #expect(Self.facts(once.published) == Self.facts(twice.published))
        #expect(twice.published.count == 2 * once.published.count)
        // Each is a message of its own; `accepted_at` and its id say which is the newest.
        #expect(Set(twice.published.map(\.envelope.id)).count == twice.published.count)
        #expect(Set(there.attestations) == Set(back.attestations))
        #expect(Set(there.assertions) == Set(back.assertions))
        #expect(Set(asked.questions) == Set(askedBack.questions))
        if route.kind != .challenge {
            let told = once.published.count + there.attestations.count + there.assertions.count + asked.questions.count
            #expect(told == 2)
        }
    }

    @Test(
        "Under one Idempotency-Key the same body is one message and one answer, another body is refused",
        arguments: SDKRoute.all.filter { $0.kind != .challenge })
    func underKey(route: SDKRoute) async throws {
        let (a, b) = (route.bytes(), route.bytes(route.change.mapValues(Optional.some)))
        let headers = ["Idempotency-Key": "once"]

        for (first, second) in [(a, b), (b, a)] {
            let (registrar, paywalls) = (Registrar(), PaywallDesk())
            let sent = try await Self.send(
                [first, first, second, first], to: route, registrar, paywalls, headers: headers)

            #expect(sent.responses.map(\.status) == [200, 200, 409, 200])
            #expect(sent.responses[2].refusal == ["idempotency_key_reused", "Idempotency-Key"])
            #expect(Set([0, 1, 3].map { sent.responses[$0].text }).count == 1)
            #expect(
                Self.facts(sent.published).count + Set(registrar.attestations).count
                    + Set(registrar.assertions).count + paywalls.questions.count == 1)
        }
    }
}
