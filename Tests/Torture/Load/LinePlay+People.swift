import Foundation
import HTTPClient
import JSON
import Messages
import Messaging
import TestSupport

/// Who people are, and what they do.
extension LinePlay {
    /// Attributes that tell which saying this is.
    private func attributes(_ number: Int) -> [String: AttributeValue] {
        ["said": .integer(Int64(number)), "plan": .text(number % 2 == 0 ? "free" : "pro")]
    }

    private func awaitSaid(_ number: Int, of person: Step.Person) async throws {
        try await awaitView(of: person) { $0["customer"]?["attributes"]?["said"] == .integer(Int64(number)) }
    }

    mutating func identify(_ person: Step.Person, through door: Step.Door, token: String? = nil) async throws {
        let number = (said[person] ?? 0) + 1
        said[person] = number
        switch door {
        case .phone, .notification:
            let body: JSONValue = .object([
                "appUserId": .string(user(person)), "bundleId": .string(Installation.app), "platform": "ios",
                "attributes": .object([
                    "said": .integer(Int64(number)), "plan": number % 2 == 0 ? "free" : "pro",
                ]),
            ])
            try await post(sdk("identify"), body, as: "identify", token: token)
            try await awaitSaid(number, of: person)
        case .queue:
            let time = Timestamp.now
            try await push([publication(saying(number, of: person), as: "identify", acceptedAt: time)])
            try await awaitSaid(number, of: person)
            try await sayOldThings(of: person, before: time)
        }
    }

    /// What he was before is told once more, as somebody whose queue was stuck would tell it: under an id that nobody
    /// has seen, and with the time of then.
    private mutating func sayOldThings(of person: Step.Person, before time: Timestamp) async throws {
        guard stage.isRough, hits(0.6) else { return }
        stage.tally.add("old things said late")
        let old = Timestamp(clamping: time.millisecondsSince1970 - 5)
        try await push([publication(saying(1000, of: person), as: "old", acceptedAt: old)])
    }

    /// The newest by the time of its acceptance counts, in whatever order they arrive.
    mutating func identifyThrice(_ person: Step.Person) async throws {
        let number = (said[person] ?? 0) + 3
        let time = Timestamp.now
        let all = try (0..<3).map { index in
            try publication(
                saying(number - 2 + index, of: person), as: "identify-\(index)",
                acceptedAt: Timestamp(clamping: time.millisecondsSince1970 - Int64(2 - index)))
        }
        said[person] = number
        try await push(all)
        try await awaitSaid(number, of: person)
    }

    private func saying(_ number: Int, of person: Step.Person) -> UserIdentify {
        UserIdentify(
            organisation: Stage.organisation, app: Stage.app, user: AppUserID(rawValue: user(person)),
            platform: "ios", attributes: attributes(number), trust: .unverified)
    }

    mutating func tellEvents(of person: Step.Person, through door: Step.Door) async throws {
        let before = events[person] ?? 0
        let count = Int.random(in: 1...6, using: &content)
        events[person] = before + count
        let ids = (before..<before + count).map { "\(user(person))-\($0)" }
        // Twelve names of the app's 32.
        let told: [(name: String, id: String, properties: [String: JSONValue])] = ids.enumerated().map { index, id in
            let kind = (line.number + before + index) % 12
            guard kind == 0 else { return ("did_\(kind)", id, ["place": .integer(Int64(before + index))]) }
            return (
                "onboarding_step", id,
                ["step": .string("step_\(line.number % 4)"), "index": .integer(Int64(line.number % 4))]
            )
        }
        switch door {
        case .phone, .notification:
            let body: JSONValue = .object([
                "bundleId": .string(Installation.app),
                "events": .array(
                    told.map {
                        .object([
                            "name": .string($0.name), "appUserId": .string(user(person)), "id": .string($0.id),
                            "properties": .object($0.properties),
                        ])
                    }),
            ])
            try await post(sdk("events"), body, as: "events")
        case .queue:
            let record = EventsRecord(
                organisation: Stage.organisation, app: Stage.app, user: AppUserID(rawValue: user(person)),
                events: told.map { event in
                    SignpostEvent(
                        name: EventName(rawValue: event.name), id: event.id,
                        properties: event.properties.mapValues { value in
                            if case .integer(let number) = value { .integer(number) } else { .text(value.string ?? "") }
                        })
                }, trust: .unverified)
            try await push([publication(record, as: "events")])
        }
        try await awaitEvents(of: person)
    }

    private func awaitEvents(of person: Step.Person) async throws {
        let path = "/api/v1/apps/\(Installation.app)/signposts?user=\(user(person))&limit=100"
        let count = events[person] ?? 0
        try await stage.insist("\(count) events of \(user(person))") {
            guard let response = try? await stage.installation.get(path),
                let page = try? JSONDecoder().decode(JSONValue.self, from: Data(response.body))
            else { return "no answer" }
            guard case .array(let events)? = page["events"] else { return "\(response.status) \(response.text)" }
            return events.count >= count ? nil : "\(events.count) events"
        }
    }

    mutating func erase(_ person: Step.Person) async throws {
        // A question dies with the owner of its partition, and is waited for as long as is said here; whoever begins anew
        // needs an answer of everybody once more.
        try await stage.tool(
            [
                "users", "erase", user(person), "--app", Installation.app, "--by", "torture", "--wait", "60",
                "--timeout", "3s", "--yes",
            ])
        if holder == person { holder = nil }
        events[person] = nil
        try await awaitGone(person)
    }

    private func awaitGone(_ person: Step.Person) async throws {
        let path = "/api/v1/apps/\(Installation.app)/users/\(user(person))"
        try await stage.insist("\(user(person)) should be forgotten") {
            let status = try? await stage.installation.get(path).status
            return status == 404 ? nil : "\(status ?? 0)"
        }
    }

    /// A dead letter, whatever is done about it.
    mutating func poison() async throws {
        let bodies: [[UInt8]] = [[], Array("no JSON".utf8), [0xFF, 0x00, 0x7B], Array(#"{"user":42}"#.utf8)]
        let kinds: [(MessageKind, ServiceName)] = [
            (UserIdentify.kind, UserIdentify.recipient), (ArtifactSubmit.kind, ArtifactSubmit.recipient),
            (EventsRecord.kind, EventsRecord.recipient), (ImpressionRecord.kind, ImpressionRecord.recipient),
        ]
        let publications = zip(bodies, kinds).enumerated().map { index, pair in
            let envelope = Envelope(
                kind: pair.1.0, id: MessageID(rawValue: "t\(seed)-\(line.number)-poison-\(index)"), body: pair.0)
            return Publication(
                envelope, to: .command(pair.1.1, Bucket.all[(line.number + index) % Bucket.count]), isMandatory: true)
        }
        try await push(publications)
    }
}
