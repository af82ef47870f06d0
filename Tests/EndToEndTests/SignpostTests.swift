import Foundation
import Messages
import Messaging
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Events of users", .serialized)
    struct SignpostTests {
        static let organisation = OrganisationID(rawValue: Installation.organisation)
        static let app = AppID(rawValue: Installation.app)

        /// A message as a stranger pushes it.
        static func publication(of user: String, _ events: [SignpostEvent], id: String) throws -> Publication {
            let command = EventsRecord(
                organisation: organisation, app: app, user: AppUserID(rawValue: user), events: events, trust: .verified)
            var envelope = Envelope(
                kind: EventsRecord.kind, id: MessageID(rawValue: id), body: try MessageJSON.encode(command))
            envelope.key = command.key
            envelope.properties.userID = BrokerUser.load.rawValue
            return Publication(envelope, to: .command(EventsRecord.recipient, command.bucket), isMandatory: true)
        }

        static func events(in installation: Installation) async throws -> [StoredEvent] {
            let output = try await installation.succeed("signposts", "tail", "--limit", "100000", "--json").output
            return try JSONDecoder().decode([StoredEvent].self, from: Data(output.utf8))
        }

        @Test(
            "Two strangers race for names while the service is killed again and again: 32 names, and all of their events once",
            arguments: [1, 4])
        func killed(partitions: Int) async throws {
            let installation = try await Installation.start(partitions: partitions)
            let publishers = [
                try await installation.publisher(as: .load), try await installation.publisher(as: .load),
            ]
            // Each of 40 names: one stranger from the first on, the other from the last on, so that both want the 32nd.
            let names = (0..<40).map { EventName(rawValue: "name_\($0)") }
            var sent: [String: EventName] = [:]
            var batches: [[Publication]] = []
            for round in 0..<3 {
                for publisher in publishers.indices {
                    let messages = try (0..<120).map { number in
                        let events = (0..<5).map { place in
                            let turn = (round * 600 + number * 5 + place) / 10 % names.count
                            let name = names[publisher == 0 ? turn : names.count - 1 - turn]
                            let id = "\(publisher)-\(round)-\(number)-\(place)"
                            sent[id] = name
                            return SignpostEvent(name: name, id: id)
                        }
                        return try Self.publication(
                            of: "user_\(number % 40)", events, id: "\(publisher)-\(round)-\(number)")
                    }
                    batches.append(messages)
                }
            }

            for round in 0..<3 {
                async let one = publishers[0].publish(batches[2 * round], deadline: .now + .seconds(20))
                async let other = publishers[1].publish(batches[2 * round + 1], deadline: .now + .seconds(20))
                #expect((await one + other).allSatisfy { $0 == .confirmed })
                await installation.stop(.eventIngest, SIGKILL)
                try await installation.start(.eventIngest)
            }
            try await installation.waitUntilReady(.eventIngest)

            let reconciled = try await installation.tool(["reconcile", "--wait", "60"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            let listed = try await installation.succeed(
                "signposts", "names", "--app", Installation.app, "--json")
            let book = try JSONDecoder().decode(EventNameBook.self, from: Data(listed.output.utf8))
            let accepted = Set(book.names.map(\.name))
            #expect(accepted.count == EventName.budget)
            let expected = Set(sent.filter { accepted.contains($0.value) }.keys)
            _ = await eventually { (try? await Self.events(in: installation).count) == expected.count }
            let kept = try await Self.events(in: installation)
            #expect(kept.count == expected.count)
            #expect(Set(kept.compactMap(\.id)) == expected)
            #expect(kept.allSatisfy { sent[$0.id ?? ""] == $0.name && $0.trust == .unverified })
            #expect(kept.map(\.storedAt) == kept.map(\.storedAt).sorted(by: >))

            let released = try #require(accepted.first)
            _ = try await installation.succeed(
                "signposts", "release", "--app", Installation.app, released.rawValue, "--by", "jane", "--yes")
            let audit = try await installation.succeed("audit").output
            #expect(audit.contains("jane  release_names  1 name at event-ingest."), "\(audit)")
            #expect(audit.contains("put_app  1 app at attest-gateway.0: "), "\(audit)")
            #expect(
                await eventually {
                    (try? await Self.events(in: installation))?.contains { $0.name == released } == false
                })

            // Of some users no name may have found room.
            let user = try #require(kept.last?.user)
            try await Self.forget(user.rawValue, in: installation)
            await installation.tearDown()
        }

        /// His events are in the export of a user, and go when he is forgotten, before others' do.
        static func forget(_ user: String, in installation: Installation) async throws {
            let mine = try await installation.succeed(
                "signposts", "tail", "--user", user, "--limit", "100000", "--json")
            let count = try JSONDecoder().decode([StoredEvent].self, from: Data(mine.output.utf8)).count
            #expect(count > 0)
            let export = try await installation.succeed("users", "export", user, "--json").output
            #expect(
                export.contains("\"event-ingest\":[{")
                    && !export.contains(user == "user_8" ? "\"user_9\"" : "\"user_8\""))
            let all = try await events(in: installation).count
            let preview = try await installation.succeed("users", "erase", user)
            #expect(
                preview.output.contains("event-ingest would forget \(user): \(count) event"), "\(preview.output)")

            let erased = try await installation.succeed("users", "erase", user, "--yes")

            #expect(
                erased.output.contains("event-ingest has forgotten \(user): \(count) event"), "\(erased.output)")
            #expect(try await events(in: installation).count == all - count)
        }
    }
}
