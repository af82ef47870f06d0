import AttestGateway
import HTTPClient
import Messages
import Messaging
import TestSupport
import Testing

@Suite("Repeats at the SDK's routes")
struct SDKRepeatTests {
    @Test("A repeat under an Idempotency-Key gets the first answer and sends nothing; another body is 409")
    func idempotent() async throws {
        try await EdgeRig.with { rig in
            let headers = ["Idempotency-Key": "k1"]
            let first = try await rig.identify(headers: headers)
            let repeated = try await rig.identify(headers: headers)
            let other = try await rig.identify(
                #"{"appUserId":"user_43","bundleId":"com.example.tunes"}"#, headers: headers)
            let elsewhere = try await rig.attribute(SDKRouteTests.attribute, headers: headers)

            #expect([first.status, repeated.status, other.status, elsewhere.status] == [200, 200, 409, 200])
            #expect(repeated.text == first.text)
            #expect(other.refusal == ["idempotency_key_reused", "Idempotency-Key"])
            #expect(rig.publisher.published.count == 2)
        }
    }

    @Test("A repeat of what was not known to be accepted is sent again, under the same id")
    func idempotentRetry() async throws {
        try await EdgeRig.with { rig in
            let headers = ["Idempotency-Key": "k1"]
            rig.publisher.answer(.unknown)
            let lost = try await rig.identify(headers: headers)
            rig.publisher.answer(.confirmed)
            let again = try await rig.identify(headers: headers)

            #expect([lost.status, again.status] == [503, 200])
            let ids = rig.publisher.published.map(\.envelope.id)
            #expect(ids.count == 2)
            #expect(ids[0] == ids[1])
        }
    }

    /// Both may be in the queue: whoever applies them has to find that they say the same.
    @Test("A request that was answered 503 and comes again is another message that says the same")
    func repeatOfTheUnknown() async throws {
        try await EdgeRig.with { rig in
            rig.publisher.answer(.unknown)
            let lost = try await rig.attribute(SDKRouteTests.attribute)
            rig.publisher.answer(.confirmed)
            let again = try await rig.attribute(SDKRouteTests.attribute)

            #expect([lost.status, again.status] == [503, 200])
            let copies = rig.publisher.published
            #expect(copies.count == 2)
            #expect(copies[0].envelope.id != copies[1].envelope.id)
            #expect(copies[0].envelope.kind == copies[1].envelope.kind)
            #expect(copies[0].envelope.body == copies[1].envelope.body)
            #expect(copies[0].route == copies[1].route)
        }
    }
}
