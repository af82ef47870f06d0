import AttestGateway
import Foundation
import HTTPClient
import JSON
import Messages
import Messaging
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Events")
struct EventRouteTests {
    /// Event-ingest's part that judges names: takes those that are in no list.
    private static func judge(
        refusing refused: [EventName] = [], _ asked: @escaping @Sendable (EventNameClaim) -> Void = { _ in }
    ) -> Ask<EventNameClaim> {
        { claim, _ in
            asked(claim)
            let accepted = claim.names.filter { !refused.contains($0) }
            let book = EventNameBook(
                organisation: claim.organisation, app: claim.app, names: accepted.map { .init(name: $0, since: .epoch) }
            )
            return .applied(
                .init(accepted: accepted, rejected: claim.names.filter(refused.contains), book: book))
        }
    }

    private static func batch(_ events: [String], _ more: String = #""bundleId":"com.example.tunes","#) -> [UInt8] {
        Array("{\(more)\"events\":[\(events.joined(separator: ","))]}".utf8)
    }

    private static func event(_ changes: [String: String?] = [:]) -> String {
        String(
            decoding: body(["name": #""opened""#, "appUserId": #""user_42""#], changes), as: UTF8.self)
    }

    private static func commands(_ rig: EdgeRig) throws -> [EventsRecord] {
        try rig.publisher.published.map { try MessageJSON.decode(EventsRecord.self, from: $0.envelope.body) }
    }

    @Test("A batch is one command for each user of each app, in order, with time and properties as they were sent")
    func split() async throws {
        let radio = AppRecord(organisation: "umbrella", app: "com.example.radio", version: 2, changedAt: .epoch)
        try await EdgeRig.with(apps: [.tunes, radio], askClaim: Self.judge()) { rig in
            let response = try await rig.post(
                "events",
                Self.batch([
                    Self.event(["at": "1755798000000.75", "properties": #"{"placement":"onboarding","n":3}"#]),
                    Self.event(["appUserId": #""user_43""#, "at": #""2026-01-30T08:15:00+01:00""#, "id": #""e""#]),
                    Self.event(["bundleId": #""com.example.radio""#]),
                    Self.event(["name": #""closed""#, "at": #""2026-01-30T08:15:00""#]),
                ]))

            #expect(response.status == 200)
            #expect(response.text == #"{"ok":true,"stored":4}"#)
            let commands = try Self.commands(rig)
            #expect(commands.map(\.key) == ["acme/user_42", "acme/user_43", "umbrella/user_42"])
            #expect(rig.publisher.published.allSatisfy { $0.isMandatory && $0.envelope.acceptedAt == .epoch })
            #expect(Set(rig.publisher.published.map(\.envelope.id)).count == 3)
            #expect(
                commands[0].events == [
                    SignpostEvent(
                        name: EventName(rawValue: "opened"), at: Timestamp(clamping: 1_755_798_000_000),
                        sentAt: "1755798000000.75",
                        properties: ["placement": .text("onboarding"), "n": .integer(3)]),
                    SignpostEvent(
                        name: EventName(rawValue: "closed"), at: Timestamp(rfc3339: "2026-01-30T08:15:00Z"),
                        sentAt: "2026-01-30T08:15:00"),
                ])
            #expect(commands[1].events.first?.at == Timestamp(rfc3339: "2026-01-30T07:15:00Z"))
            #expect(commands[1].events.first?.id == "e")
        }
    }

    @Test("What is wrong with an event drops that one alone, and is told by place, code and name")
    func verdicts() async throws {
        let long = #"{"a":\#(letters(2041))}"#
        let cases: [(String, String?)] = [
            (Self.event(), nil), (Self.event(["name": #""Opened""#]), "name_invalid"),
            (Self.event(["name": nil]), "name_invalid"), (Self.event(["name": "7"]), "name_invalid"),
            (Self.event(["name": letters(48)]), nil), (Self.event(["name": letters(49)]), "name_invalid"),
            (Self.event(["name": #""rh_opened""#]), "name_reserved"),
            (Self.event(["name": #""many""#]), "name_over_budget"),
            (Self.event(["appUserId": nil]), "app_user_id_missing"),
            (Self.event(["appUserId": #""""#]), "app_user_id_invalid"),
            (Self.event(["appUserId": letters(256)]), nil),
            (Self.event(["appUserId": letters(257)]), "app_user_id_invalid"),
            (Self.event(["id": letters(256)]), nil), (Self.event(["id": letters(257)]), "id_invalid"),
            (Self.event(["id": "7"]), "id_invalid"), (Self.event(["id": "null"]), nil),
            (Self.event(["at": "true"]), "at_invalid"), (Self.event(["at": #""yesterday""#]), "at_invalid"),
            (Self.event(["at": "1e400"]), "at_invalid"), (Self.event(["at": "-9e300"]), nil),
            (Self.event(["at": "null"]), nil),
            (Self.event(["properties": #"{"a":\#(letters(2040))}"#]), nil),
            (Self.event(["properties": long]), "properties_too_long"),
            (Self.event(["properties": #"{"a":[]}"#]), "properties_not_flat"),
            (Self.event(["properties": "[]"]), "properties_not_flat"),
            (Self.event(["properties": #"{"a":1e400}"#]), "properties_not_flat"),
            (Self.event(["properties": #"{"a":"b\u0000c"}"#]), "properties_nul"),
            (Self.event(["properties": #"{"a\u0000":1}"#]), "properties_nul"),
            (Self.event(["at": #""2026-01-30T08:15:00Z\u0000""#]), "at_invalid"),
            (Self.event(["name": #""a\u0000b""#]), "name_invalid"),
            (Self.event([#"other\u0000"#: #"["\u0000"]"#]), nil),
            (Self.event(["bundleId": #""com.example.nobody""#]), "bundle_unresolved"),
            (Self.event(["bundleId": letters(257)]), "bundle_id_invalid"), ("7", "event_malformed"),
            (Self.event(["name": #""onboarding_step""#]), "step_invalid"),
            (Self.event(["name": #""onboarding_step""#, "properties": #"{"step":"s","index":100}"#]), "index_invalid"),
            (Self.event(["name": #""onboarding_step""#, "properties": #"{"step":"s","index":99,"value":""}"#]), nil),
            (
                Self.event([
                    "name": #""onboarding_step""#, "properties": #"{"step":"s","index":0,"value":\#(letters(65))}"#,
                ]), "value_invalid"
            ),
        ]
        try await EdgeRig.with(askClaim: Self.judge(refusing: [EventName(rawValue: "many")])) { rig in
            let response = try await rig.post("events", Self.batch(cases.map(\.0)))

            #expect(response.status == 200)
            let answer = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
            let expected = cases.enumerated().compactMap { index, item in
                item.1.map { JSONValue.object(["index": .integer(Int64(index)), "code": .string($0)]) }
            }
            #expect(answer["ok"] == true)
            #expect(answer["stored"] == .integer(Int64(cases.count - expected.count)))
            #expect(answer["rejected"] == .array(expected))
            #expect(
                answer["rejectedNames"]
                    == .array(
                        ["Opened", String(repeating: "x", count: 49), "rh_opened", "a\0b", "many"].map { .string($0) }))
            let sent = try Self.commands(rig).reduce(0) { $0 + $1.events.count }
            #expect(sent == cases.count - expected.count)
            let route = try #require(OpenAPIDocument.routes.first { $0.name == "events" })
            #expect(JSONSchema(in: OpenAPIDocument.value).faults(of: answer, as: route.answer) == [])
        }
    }

    @Test(
        "A NUL in an id refuses the batch by the name of the id, whatever else is wrong with the event",
        arguments: ["bundleId", "appUserId", "id"])
    func nul(id: String) async throws {
        try await EdgeRig.with(askClaim: Self.judge()) { rig in
            for more in [[:], ["name": "7"]] as [[String: String?]] {
                let event = Self.event(more.merging([id: #""a\u0000b""#]) { $1 })
                let response = try await rig.post("events", Self.batch([Self.event(), event]))

                #expect(response.status == 400)
                #expect(response.refusal == ["nul", "events[1].\(id)"])
            }
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("A name that is rejected often is told once")
    func distinct() async throws {
        try await EdgeRig.with(askClaim: Self.judge()) { rig in
            let bad = Self.event(["name": #""No""#])
            let response = try await rig.post("events", Self.batch([bad, bad, Self.event()]))

            #expect(response.text.contains(#""rejectedNames":["No"]"#))
            #expect(response.text.contains(#""stored":1"#))
        }
    }

    @Test("A batch has 1 to 50 events")
    func count() async throws {
        try await EdgeRig.with(["TOLLGATE_LIMITS": "off"], askClaim: Self.judge()) { rig in
            for (count, refusal) in [
                (0, ["field_empty", "events"]), (1, nil), (49, nil), (50, nil), (51, ["too_many_elements", "events"]),
            ] as [(Int, [String]?)] {
                let response = try await rig.post("events", Self.batch(Array(repeating: Self.event(), count: count)))
                #expect(response.refusal == refusal)
                #expect(response.status == (refusal == nil ? 200 : 400))
            }
            for (text, refusal) in [
                (#"{"bundleId":"b"}"#, ["missing_member", "events"]),
                (#"{"bundleId":"b","events":{}}"#, ["wrong_type", "events"]),
                (#"{"events":[{"name":"opened","appUserId":"u"}]}"#, ["missing_member", "bundleId"]),
                (#"{"events":[7]}"#, ["missing_member", "bundleId"]),
            ] {
                let response = try await rig.post("events", Array(text.utf8))
                #expect(response.refusal == refusal)
            }
        }
    }

    @Test("The bundle id stands on the batch or on each event; an event that has neither is dropped alone")
    func bundles() async throws {
        try await EdgeRig.with(askClaim: Self.judge()) { rig in
            let response = try await rig.post(
                "events", Self.batch([Self.event(["bundleId": #""com.example.tunes""#]), Self.event()], ""))

            #expect(response.text == #"{"ok":true,"rejected":[{"code":"bundle_id_missing","index":1}],"stored":1}"#)
        }
    }

    @Test("A batch of which no bundle id is connected is dropped whole")
    func unresolved() async throws {
        try await EdgeRig.with(askClaim: Self.judge()) { rig in
            let response = try await rig.post(
                "events",
                Self.batch(
                    [Self.event(["bundleId": #""com.example.other""#]), Self.event()],
                    #""bundleId":"com.example.nobody","#))

            #expect(response.text == #"{"ok":true,"dropped":"bundle_unresolved"}"#)
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("Whether a bundle id is connected is asked once for all that are unknown; without an answer it is 503")
    func registryAway() async throws {
        let asked = Mutex(0)
        try await EdgeRig.with(
            askRegistry: { _, _ in
                asked.withLock { $0 += 1 }
                throw Asker.NoAnswer()
            }, askClaim: Self.judge()
        ) { rig in
            let events = (0..<20).map { Self.event(["bundleId": "\"com.example.new\($0)\""]) }
            let response = try await rig.post("events", Self.batch(events + [Self.event()]))

            #expect(response.status == 503)
            #expect(response.refusal == ["registry_unavailable"])
            #expect(asked.withLock { $0 } == 1)
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("A token speaks for its app: another one on an event drops it, another one on the batch is 401")
    func tokens() async throws {
        let radio = AppRecord(organisation: "acme", app: "com.example.radio", version: 2, changedAt: .epoch)
        let headers = BearerTests.headers(EdgeRig.token())
        try await EdgeRig.with(apps: [.tunes, radio], askClaim: Self.judge()) { rig in
            let other = Self.event(["bundleId": #""com.example.radio""#])
            let mixed = try await rig.post("events", headers: headers, Self.batch([other, Self.event()]))
            let none = try await rig.post("events", headers: headers, Self.batch([other], ""))
            let whole = try await rig.post(
                "events", headers: headers, Self.batch([Self.event()], #""bundleId":"com.example.radio","#))

            #expect(mixed.text == #"{"ok":true,"rejected":[{"code":"bundle_id_wrong","index":0}],"stored":1}"#)
            #expect(none.text == #"{"ok":true,"rejected":[{"code":"bundle_id_wrong","index":0}],"stored":0}"#)
            #expect(whole.refusal == ["token_wrong_app"])
            #expect(try Self.commands(rig).map(\.trust) == [.attested])
        }
    }

    @Test("Each different user counts against what an app may name in a minute, and none is sent if one is too many")
    func users() async throws {
        try await EdgeRig.with(["TOLLGATE_LIMIT_USERS": "3"], askClaim: Self.judge()) { rig in
            func events(_ users: ClosedRange<Int>) -> [UInt8] {
                Self.batch(users.map { Self.event(["appUserId": "\"u\($0)\""]) })
            }
            let three = try await rig.post("events", events(1...3))
            let again = try await rig.post("events", events(1...3))
            let four = try await rig.post("events", events(3...4))

            #expect([three, again, four].map(\.status) == [200, 200, 429])
            #expect(rig.publisher.published.count == 6)
        }
    }

    @Test("It is answered 200 only when every part is confirmed")
    func confirmation() async throws {
        try await EdgeRig.with(askClaim: Self.judge()) { rig in
            rig.publisher.answer(.notSent(.blocked))
            let response = try await rig.post(
                "events", Self.batch([Self.event(), Self.event(["appUserId": #""user_43""#])]))

            #expect(response.status == 503)
            #expect(response.header("Retry-After") == "5")
            #expect(response.refusal == ["not_accepted"])
        }
    }

    @Test("Under an Idempotency-Key each part has the same id and body at any edge and time, and others without")
    func partIDs() async throws {
        let ids = Mutex<[[MessageID?]]>([])
        for headers in [["Idempotency-Key": "k"], ["Idempotency-Key": "k"], [:], [:]] {
            try await EdgeRig.with(askClaim: Self.judge()) { rig in
                let response = try await rig.post(
                    "events", headers: headers, Self.batch([Self.event(), Self.event(["appUserId": #""user_43""#])]))
                #expect(response.status == 200)
                ids.withLock { $0.append(rig.publisher.published.map(\.envelope.id)) }
            }
        }
        let sent = ids.withLock { $0 }
        #expect(sent[0] == sent[1])
        #expect(sent[0].allSatisfy { $0?.rawValue.hasPrefix("sha256:") == true })
        #expect(Set(sent.flatMap { $0 }).count == 6)
    }

    @Test("Under a key the messages are the same whatever became of the names meanwhile, and the answer tells")
    func judgedMeanwhile() async throws {
        let sent = Mutex<[(text: String, bodies: [[UInt8]])]>([])
        for refused in [[], [EventName(rawValue: "many")]] {
            try await EdgeRig.with(askClaim: Self.judge(refusing: refused)) { rig in
                let response = try await rig.post(
                    "events", headers: ["Idempotency-Key": "k"],
                    Self.batch([Self.event(), Self.event(["name": #""many""#])]))
                sent.withLock { $0.append((response.text, rig.publisher.published.map(\.envelope.body))) }
            }
        }
        let (first, second) = sent.withLock { ($0[0], $0[1]) }
        #expect(first.bodies == second.bodies)
        #expect(first.text == #"{"ok":true,"stored":2}"#)
        #expect(second.text.contains(#""rejectedNames":["many"],"stored":1"#))
    }

    // MARK: Names

    @Test("Unknown names of a batch are claimed together, once; what is known is not asked about again")
    func claims() async throws {
        let asked = Mutex<[[String]]>([])
        let judge = Self.judge { claim in asked.withLock { $0.append(claim.names.map(\.rawValue)) } }
        try await EdgeRig.with(askClaim: judge) { rig in
            let body = Self.batch(["b", "a", "b", "c"].map { Self.event(["name": "\"\($0)\""]) })
            for _ in 0..<3 {
                let response = try await rig.post("events", body)
                #expect(response.text == #"{"ok":true,"stored":4}"#)
            }
            #expect(asked.withLock { $0 } == [["b", "a", "c"]])
        }
    }

    @Test("Where nobody judges in time, names are taken: event-ingest will")
    func unjudged() async throws {
        try await EdgeRig.with { rig in
            let response = try await rig.post("events", Self.batch([Self.event()]))

            #expect(response.text == #"{"ok":true,"stored":1}"#)
            #expect(rig.metrics.render().contains(#"tollgate_edge_name_claims_total{outcome="failed"} 1"#))
        }
    }
}
