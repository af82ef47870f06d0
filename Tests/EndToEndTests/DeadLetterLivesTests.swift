import Foundation
import Messages
import Messaging
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Lives of dead letters", .serialized)
    struct DeadLetterLivesTests {
        private static let resolver = ServiceName.entitlementResolver

        /// A line of `dead export`, as far as tests look at it.
        private struct Line: Decodable {
            let letter: DeadLetterView
        }

        /// Every dead letter, by its id.
        private static func letters(of installation: Installation) async throws -> [String: DeadLetterView] {
            let text = try await installation.succeed("dead", "export", "--service", resolver.rawValue).output
            let letters = try text.split(separator: "\n").map {
                try MessageJSON.decode(Line.self, from: Array($0.utf8)).letter
            }
            return Dictionary(letters.map { ($0.id.rawValue, $0) }) { $1 }
        }

        private static func publication(_ id: String, _ kind: MessageKind, _ body: [UInt8], headers: HeaderTable)
            -> Publication
        {
            var envelope = Envelope(kind: kind, id: MessageID(rawValue: id), body: body)
            envelope.properties.headers = headers
            return Publication(envelope, to: .command(resolver, Bucket.all[7]), isMandatory: true)
        }

        /// What the broker and others may have written into a message.
        private static let foreign = HeaderTable([
            .init(
                name: "x-death",
                value: .array([
                    .table(
                        HeaderTable([
                            .init(name: "reason", value: .text("rejected")), .init(name: "count", value: .int64(2)),
                            .init(name: "time", value: .timestamp(9)),
                        ]))
                ])),
            .init(name: "mine", value: .double(1.5.bitPattern)), .init(name: "raw", value: .octets([0xFF, 0])),
            .init(name: "price", value: .decimal(scale: 2, value: 499)), .init(name: "void", value: .void),
        ])

        private static func run(of preview: String) throws -> String {
            String(try #require(preview.split(separator: " ").drop { $0 != "--preview" }.dropFirst().first))
        }

        @Test(
            "Replayed by two at once, again and again: each letter runs once a replay, is dead again, and stays what it was"
        )
        func lives() async throws {
            let installation = try await Installation.start()
            await installation.stop(Self.resolver, SIGTERM)
            // What the service does not know is given up at once.
            try await installation.start(Self.resolver, ["TOLLGATE_GIVE_UP_AFTER": "1ms"])
            try await installation.waitUntilReady(Self.resolver)
            let stranger = try await installation.publisher(as: .load)
            let bodies: [(String, MessageKind, [UInt8])] = [
                ("not-json", UserIdentify.kind, Array("hello\u{0}".utf8)), ("empty", UserIdentify.kind, []),
                ("not-utf8", UserIdentify.kind, [0xFF, 0xFE, 0x80]), ("gone", "deposit.v1", Array("{}".utf8)),
                ("newer", "user.identify.v2", Array(#"{"user":{"id":"ann"}}"#.utf8)),
            ]
            let odd = bodies.map { Self.publication($0, $1, $2, headers: Self.foreign) }
            // Some forty bytes short of what fits into a frame: a replay would have to add more.
            let full = HeaderTable([
                .init(name: "kind", value: .text(UserIdentify.kind.rawValue)),
                .init(name: "x-large", value: .text(String(repeating: "h", count: 130_980))),
            ])
            let unsendable = (0..<100).map { index in
                var envelope = Envelope(properties: MessageProperties(), body: Array("{full \(index)".utf8))
                envelope.properties.headers = full
                return Publication(envelope, to: .command(Self.resolver, Bucket.all[7]), isMandatory: true)
            }
            let outcomes = await stranger.publish(odd + unsendable, deadline: .now + .seconds(20))
            #expect(outcomes.allSatisfy { $0 == .confirmed })
            let areThere = await eventually {
                (try? await installation.tool(["dead", "groups", "--json"]))?.output.contains("\"dead\":105,") == true
            }
            #expect(areThere)
            let first = try await Self.letters(of: installation)

            let preview = try await installation.succeed("dead", "replay", "--until", "0s", "--force").output
            #expect(preview.contains("105 dead letters") && preview.contains("2 would go nowhere"), "\(preview)")
            let late = Self.publication("late", UserIdentify.kind, [0x7B], headers: HeaderTable())
            #expect(await stranger.publish(late, deadline: .now + .seconds(10)) == .confirmed)
            let other = try await installation.succeed("dead", "replay", "--until", "0s").output
            let runs = [try Self.run(of: preview), try Self.run(of: other)]
            async let ann = installation.tool([
                "dead", "replay", "--preview", runs[0], "--yes", "--by", "ann", "--json",
            ])
            async let bob = installation.tool([
                "dead", "replay", "--preview", runs[1], "--yes", "--by", "bob", "--json",
            ])
            let replays = [try await ann, try await bob]
            var failed = 0
            for replay in replays {
                let report = try JSONDecoder().decode(Report.self, from: Data(replay.output.utf8))
                failed += report.count("failed")
                #expect(report.outcomes.reduce(0) { $0 + $1.count } == report.selected, "\(replay)")
                #expect(report.count("failed") + report.count("gone") + report.count("unsendable") >= 105, "\(replay)")
            }
            // The one that died after the first preview is of the second alone, if it was dead by then.
            #expect((5...6).contains(failed), "\(replays)")

            let second = try await Self.letters(of: installation)
            try await installation.tool(["dead", "replay", "--id", "not-json", "--id", "newer", "--yes"]).expectStatus(
                1)
            let third = try await Self.letters(of: installation)
            for (id, kind, body) in bodies {
                let (before, after) = (try #require(first[id]), try #require(second[id]))
                #expect(after.kind == kind.rawValue && after.body?.bytes == body && after.reason == before.reason)
                #expect(before.generation == 0 && after.generation == 1)
                #expect(third[id]?.generation == (["not-json", "newer"].contains(id) ? 2 : 1))
                let headers = third[id]?.properties?.headers.entries ?? []
                // What went through the ladder has the broker's own history.
                let isOwn = before.reason == "kind_unknown"
                let kept = Self.foreign.entries.filter { !isOwn || $0.name != "x-death" }
                #expect(kept.allSatisfy { headers.contains($0) }, "\(headers)")
            }
            #expect(third.values.filter { $0.properties?.headers == full && $0.generation == 0 }.count == 100)
            #expect(try await installation.tool(["reconcile", "--wait", "20"]).output.contains("106 dead letters"))
            await installation.tearDown()
        }

        /// What `dead replay --json` says.
        private struct Report: Decodable {
            struct Outcome: Decodable {
                let outcome: String
                let count: Int
            }
            let selected: Int
            let outcomes: [Outcome]

            func count(_ outcome: String) -> Int {
                outcomes.reduce(0) { $0 + ($1.outcome == outcome ? $1.count : 0) }
            }
        }
    }
}

extension BuiltExecutable.Output {
    fileprivate func expectStatus(_ expected: Int32) { #expect(status == expected, "\(output)\(errors)") }
}
