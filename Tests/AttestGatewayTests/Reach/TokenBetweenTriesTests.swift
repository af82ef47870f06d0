import AttestGateway
import HTTPClient
import Messages
import Messaging
import Synchronization
import TestSupport
import Testing

/// A device may lose its token between two tries of one request, or get one: what it has said is said all the same.
@Suite("A token that comes or goes between two tries")
struct TokenBetweenTriesTests {
    private static let writes = SDKRoute.all.filter { $0.kind == .write }
    private static let key = ["Idempotency-Key": "once"]
    private static let attested = key.merging(BearerTests.headers(EdgeRig.token())) { $1 }

    /// What two edges send that know nothing of each other, or one that has not heard of the broker.
    private static func sent(_ tries: [[String: String]], to route: SDKRoute) async throws -> [Envelope] {
        let sent = Mutex<[Envelope]>([])
        try await EdgeRig.with { rig in
            rig.publisher.answer(.unknown)
            for headers in tries {
                let response = try await rig.post(route.path, headers: headers, route.bytes())
                #expect(response.status == 503)
            }
            sent.withLock { $0 = rig.publisher.published.map(\.envelope) }
        }
        return sent.withLock { $0 }
    }

    @Test("Under one Idempotency-Key no id ever names two bodies", arguments: writes)
    func ids(route: SDKRoute) async throws {
        let sent = try await Self.sent([Self.attested, Self.key, Self.attested, Self.key], to: route)

        #expect(sent.count == 4 && Set(sent.map(\.id)).count == 2 && Set(sent.map(\.body)).count == 2)
        #expect(Set(sent.map { [$0.id?.rawValue ?? "", String(decoding: $0.body, as: UTF8.self)] }).count == 2)
    }

    @Test("What a genuine app has said is not said again for another caller; what that one has said, for the app it is")
    func answered() async throws {
        for (tries, count) in [([Self.attested, Self.key], 1), ([Self.key, Self.attested, Self.key], 2)] {
            for route in Self.writes {
                try await EdgeRig.with { rig in
                    for headers in tries {
                        let response = try await rig.post(route.path, headers: headers, route.bytes())
                        #expect(response.status == 200)
                    }
                    #expect(rig.publisher.published.count == count)
                }
            }
        }
    }

    @Test("Another body under the key is refused, whoever sends it")
    func otherBody() async throws {
        for route in Self.writes {
            try await EdgeRig.with { rig in
                _ = try await rig.post(route.path, headers: Self.attested, route.bytes())
                let other = try await rig.post(
                    route.path, headers: Self.key, route.bytes(route.change.mapValues(Optional.some)))
                #expect(other.status == 409)
            }
        }
    }

    @Test("Events without id and time are named by the request, so that they are the same events from either caller")
    func events() async throws {
        let route = try #require(Self.writes.first { $0.path == "events" })
        let named = SDKRoute(
            path: route.path,
            good: route.good.merging([
                "events":
                    #"[{"name":"a","appUserId":"u"},{"name":"a","appUserId":"u"},{"name":"b","appUserId":"u","id":"x"}]"#
            ]) { $1 }, change: [:], fields: [])

        let sent = try await Self.sent([Self.attested, Self.key], to: named)

        let ids = try sent.map { try MessageJSON.decode(EventsRecord.self, from: $0.body).events.map(\.id) }
        #expect(ids.count == 2 && ids[0] == ids[1])
        #expect(Set(ids[0]).count == 3 && ids[0].last == "x" && !ids[0].contains(nil))
    }
}
