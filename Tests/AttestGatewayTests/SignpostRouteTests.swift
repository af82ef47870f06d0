import AttestGateway
import Foundation
import HTTPClient
import JSON
import Messages
import Synchronization
import TestSupport
import Testing

@Suite("Signposts and funnel, for servers")
struct SignpostRouteTests {
    private static let base = "/api/v1/apps/com.example.tunes/"
    private static let headers = ["Authorization": "Bearer \(ShowUserTests.secret)"]

    private static func get(_ rig: EdgeRig, _ path: String) async throws -> HTTPResponse {
        try await rig.send("GET", base + path, headers: headers)
    }

    private static func event(_ number: Int) -> StoredEvent {
        StoredEvent(
            organisation: "acme", app: "com.example.tunes", user: "user_42", name: EventName(rawValue: "opened"),
            id: "e-\(number)", at: .epoch, sentAt: nil, properties: ["n": .integer(Int64(number))],
            trust: .unverified, acceptedAt: .epoch, storedAt: .epoch, message: MessageID(rawValue: "m"))
    }

    private static func faults(_ response: HTTPResponse, _ route: String) throws -> [String] {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
        let answer = try #require(OpenAPIDocument.routes.first { $0.name == route }).answer
        return JSONSchema(in: OpenAPIDocument.value).faults(of: value, as: answer)
    }

    @Test("The names of an app, since when each is one, and how many it may have")
    func names() async throws {
        let book = EventNameBook(
            organisation: "acme", app: "com.example.tunes",
            names: [.init(name: EventName(rawValue: "opened"), since: .epoch)])
        try await EdgeRig.with(keys: [ShowUserTests.key()], askNames: { _, _ in .applied(book) }) { rig in
            let response = try await Self.get(rig, "signposts/names")

            #expect(
                response.text == #"{"budget":32,"names":[{"name":"opened","since":"2026-01-30T08:15:00.250Z"}]}"#)
            #expect(try Self.faults(response, "eventNames") == [])
        }
    }

    @Test("Pages lead through all partitions, whatever is empty on the way, and end")
    func pages() async throws {
        let asked = Mutex<[SignpostsPage]>([])
        try await EdgeRig.with(
            keys: [ShowUserTests.key()],
            askSignposts: { question, _ in
                asked.withLock { $0.append(question) }
                let pages: [String: ([Int], String?)] = [
                    "0.": ([1, 2], "7"), "0.7": ([], "3"), "0.3": ([], nil), "1.": ([3], nil), "2.": ([], nil),
                    "3.": ([4], "9"), "3.9": ([], nil),
                ]
                let page = pages["\(question.partition).\(question.after ?? "")"] ?? ([], nil)
                return .applied(.init(events: page.0.map(Self.event), next: page.1, partitions: 4))
            }
        ) { rig in
            var (ids, after, requests): ([String], String?, Int) = ([], nil, 0)
            repeat {
                let response = try await Self.get(
                    rig, "signposts?limit=2&name=opened&user=user_42" + (after.map { "&after=\($0)" } ?? ""))
                #expect(try Self.faults(response, "signposts") == [])
                let answer = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
                guard case .array(let events) = answer["events"] else { break }
                ids += events.compactMap { $0["id"]?.string }
                after = answer["next"]?.string
                requests += 1
            } while after != nil && requests < 10

            #expect(ids == ["e-1", "e-2", "e-3", "e-4"])
            #expect(requests == 4)
            let question = try #require(asked.withLock { $0.first })
            #expect(question.organisation == "acme")
            #expect(question.app == "com.example.tunes")
            #expect(question.user == "user_42")
            #expect(question.name == EventName(rawValue: "opened"))
            #expect(question.limit == 2)
        }
    }

    @Test(
        "A query that cannot be taken is refused by name",
        arguments: [
            ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("after=1", "after"),
            ("after=64.", "after"), ("after=01.", "after"), ("after=+1.", "after"), ("after=0.x", "after"),
            ("user=", "user"), ("name=\(String(repeating: "x", count: 257))", "name"),
        ])
    func badQuery(query: String, field: String) async throws {
        try await EdgeRig.with(
            keys: [ShowUserTests.key()],
            askSignposts: { _, _ in .applied(.init(events: [], next: nil, partitions: 1)) }
        ) { rig in
            let response = try await Self.get(rig, "signposts?\(query)")

            #expect(response.status == 400)
            #expect(response.refusal?.last == field)
        }
    }

    @Test("Beyond the last partition there is nothing, whoever answers for it")
    func beyond() async throws {
        try await EdgeRig.with(
            keys: [ShowUserTests.key()],
            askSignposts: { _, _ in .applied(.init(events: [Self.event(1)], next: nil, partitions: 1)) }
        ) { rig in
            let response = try await Self.get(rig, "signposts?after=5.7")

            #expect(response.text == #"{"events":[]}"#)
        }
    }

    @Test(
        "So is one about the funnel",
        arguments: [("by=step", "by"), ("step=", "step"), ("from=then", "from"), ("environment=x", "environment")])
    func badFunnelQuery(query: String, field: String) async throws {
        try await EdgeRig.with(keys: [ShowUserTests.key()]) { rig in
            let response = try await Self.get(rig, "funnel?\(query)")

            #expect(response.status == 400)
            #expect(response.refusal?.last == field)
        }
    }

    @Test("The funnel is what all partitions say together")
    func funnel() async throws {
        let asked = Mutex<[FunnelCount]>([])
        try await EdgeRig.with(
            keys: [ShowUserTests.key()],
            askSteps: { question, _ in
                let steps = [["plan": 2], ["welcome": 1]][question.partition].map {
                    FunnelStep(step: $0.key, index: $0.value, declaredAt: .epoch)
                }
                return .applied(.init(steps: steps, partitions: 2))
            },
            askCount: { question, _ in
                asked.withLock { $0.append(question) }
                let answers = [FunnelTally.Answer(value: "annual", users: 2, purchased: 1)]
                return .applied(
                    FunnelTally(
                        users: 4,
                        stages: [
                            .init(users: 4, fromBefore: 4), .init(users: 2, fromBefore: 2),
                            .init(users: 1, fromBefore: 1), .init(users: 1, fromBefore: 1),
                        ], answers: answers))
            }
        ) { rig in
            let response = try await Self.get(
                rig,
                "funnel?from=2026-01-01T00:00:00Z&to=1769760900250&by=answer&step=plan&environment=sandbox&trust=attested"
            )

            #expect(response.status == 200)
            #expect(try Self.faults(response, "funnel") == [])
            let answer = try JSONDecoder().decode(Funnel.self, from: Data(response.body))
            #expect(answer.users == 8)
            #expect(answer.stages.map(\.users) == [8, 4, 2, 2])
            #expect(answer.stages.map(\.step) == ["welcome", "plan", nil, nil])
            #expect(answer.answers?.map(\.users) == [4])
            let questions = asked.withLock { $0 }.sorted { $0.partition < $1.partition }
            #expect(
                questions
                    == (0...1).map {
                        FunnelCount(
                            partition: $0, organisation: "acme", app: "com.example.tunes", steps: ["welcome", "plan"],
                            environment: .sandbox, from: Timestamp(rfc3339: "2026-01-01T00:00:00Z"), to: .epoch,
                            answersTo: "plan", indices: [1, 2], trust: .attested)
                    })
        }
    }

    static let paths = ["signposts/names", "signposts", "funnel"]

    @Test(
        "Without an answer it is 503; without a key, or for another organisation's app, as everywhere", arguments: paths
    )
    func refusals(path: String) async throws {
        try await EdgeRig.with(keys: [ShowUserTests.key()]) { rig in
            let away = try await Self.get(rig, path)
            let keyless = try await rig.send("GET", Self.base + path)
            let other = try await rig.send("GET", "/api/v1/apps/com.example.radio/" + path, headers: Self.headers)

            #expect(away.status == 503)
            #expect(away.refusal == ["event_ingest_unavailable"])
            #expect(away.header("Retry-After") == "1")
            #expect(keyless.refusal == ["key_missing"])
            #expect(other.refusal == ["app_unknown"])
        }
    }
}
