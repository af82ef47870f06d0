import Foundation
import HTTPClient
import JSON
import Messages
import Messaging
import Testing
import TestSupport

extension EndToEnd {
    @Suite("The AsyncAPI document's examples", .serialized)
    struct DocumentTests {
        @Test(
            "Pushed by a stranger exactly as the document says, each command is applied, refused, or his to send no more"
        )
        func pushed() async throws {
            let installation = try await Installation.start()
            let document = try await Self.document(of: installation)
            let commands = Catalogue.kinds.filter { $0.role == .command }
            let before = try await Self.state(of: installation)

            for kind in commands {
                let publish = try #require(document["components"]?["messages"]?[kind.kind.rawValue]?["x-publish"])
                let pushed = try await BuiltExecutable(at: "/bin/sh").run(
                    ["-c", try #require(publish["command"]?.string)],
                    environment: ["TOLLGATE_BROKER": await installation.address(of: .load)])
                #expect(pushed.status == 0, "\(kind.kind): \(pushed.errors)")
            }

            // What anybody may send is applied or refused; of the rest only who sent it is held against it.
            let open = commands.count { $0.authors == nil }
            #expect(open >= 3)
            let forbidden = Set(commands.filter { $0.authors != nil }.map(\.kind.rawValue))
            let isThere = await eventually {
                guard let state = try? await Self.state(of: installation) else { return false }
                return state.ended >= before.ended + open && state.dead.count == forbidden.count
            }
            let after = try await Self.state(of: installation)
            #expect(isThere, "\(before) \(after)")
            #expect(Set(after.dead.map(\.kind)) == forbidden)
            #expect(after.dead.allSatisfy { $0.reason == "not_from_owner" }, "\(after)")
            #expect(try await installation.get("/api/v1/apps/\(Installation.app)/users/user_42").status == 200)
            await installation.tearDown()
        }

        @Test("Pushed by whom the document names, each of the other commands is applied or refused")
        func authors() async throws {
            let installation = try await Installation.start()
            let document = try await Self.document(of: installation)
            let before = try await Self.state(of: installation)
            let commands = Catalogue.kinds.filter { $0.role == .command && $0.authors != nil }

            for kind in commands {
                let message = try #require(document["components"]?["messages"]?[kind.kind.rawValue])
                #expect(message["x-authors"] == .array((kind.authors ?? []).map { .string($0.rawValue) }))
                guard case .array(let examples) = message["examples"], let example = examples.first,
                    let key = message["x-publish"]?["routingKey"]?.string, let author = kind.authors?.first
                else {
                    Issue.record("\(kind.kind) has no example")
                    continue
                }
                var envelope = Envelope(
                    properties: MessageProperties(), body: try JSONCoding.encode(example["payload"] ?? .null))
                for name in ["kind", "key"] {
                    envelope.properties.headers[name] = example["headers"]?[name]?.string.map(HeaderValue.text)
                }
                let publisher = try await installation.publisher(as: author)
                let outcome = await publisher.publish(
                    Publication(envelope, to: Messages.Route(exchange: .commands, routingKey: key), isMandatory: true),
                    deadline: .now + .seconds(10))
                #expect(outcome == .confirmed, "\(kind.kind)")
            }

            let isThere = await eventually {
                guard let state = try? await Self.state(of: installation) else { return false }
                return state.ended >= before.ended + commands.count
            }
            let after = try await Self.state(of: installation)
            #expect(isThere && after.dead.isEmpty, "\(before) \(after)")
            await installation.tearDown()
        }

        private static func document(of installation: Installation) async throws -> JSONValue {
            let text = try await installation.succeed("topology", "asyncapi").output
            return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        }

        private struct State {
            struct Dead: Decodable, Hashable {
                let kind: String
                let reason: String
                let count: Int
            }
            var ended = 0
            var dead: [Dead] = []
        }

        private static func state(of installation: Installation) async throws -> State {
            struct Report: Decodable {
                struct Row: Decodable {
                    let applied: Int
                    let refused: Int
                }
                let partitions: [Row]
            }
            struct Groups: Decodable {
                struct Entry: Decodable { let group: State.Dead }
                let groups: [Entry]
            }
            let report = try JSONDecoder().decode(
                Report.self, from: Data(try await installation.tool(["reconcile", "--json"]).output.utf8))
            let groups = try JSONDecoder().decode(
                Groups.self, from: Data(try await installation.tool(["dead", "groups", "--json"]).output.utf8))
            return State(
                ended: report.partitions.reduce(0) { $0 + $1.applied + $1.refused }, dead: groups.groups.map(\.group))
        }
    }
}
