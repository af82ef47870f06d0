import Crypto
import Foundation
import Messages
import Messaging
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Dead letters", .serialized)
    struct DeadLetterTests {
        private static let resolver = ServiceName.entitlementResolver
        private static let organisation = OrganisationID(rawValue: Installation.organisation)

        /// A command as a stranger would send it.
        private static func publication(
            _ message: some Command, id: String, _ adjust: (inout Envelope) -> Void = { _ in }
        )
            throws -> Publication
        {
            var envelope = Envelope(
                kind: type(of: message).kind, id: MessageID(rawValue: id), body: try MessageJSON.encode(message))
            adjust(&envelope)
            return Publication(envelope, to: .command(resolver, message.bucket), isMandatory: true)
        }

        private static func identify(_ user: String) -> UserIdentify {
            UserIdentify(
                organisation: organisation, app: AppID(rawValue: Installation.app), user: AppUserID(rawValue: user),
                trust: .unverified)
        }

        /// Returns when so many letters wait at `service`.
        private static func waitForLetters(_ count: Int, of service: ServiceName, in installation: Installation)
            async throws
        {
            var last = ""
            let isThere = await eventually {
                last =
                    (try? await installation.tool(["dead", "groups", "--json", "--service", "\(service)"]))?.output
                    ?? ""
                return last.contains("\"dead\":\(count),")
            }
            #expect(isThere, "\(last)")
        }

        @Test("A letter with every kind of property is seen, exported, mended in an editor, applied, and audited")
        func mended() async throws {
            let installation = try await Installation.start()
            let stranger = try await installation.publisher(as: .load)
            let broken = try Self.publication(Self.identify("ann"), id: "broken") { envelope in
                envelope.body = Array(
                    String(decoding: envelope.body, as: UTF8.self).replacing("\"ann\"", with: "42").utf8)
                envelope.properties.headers["mine"] = .octets([0xFF, 0, 0x80])
                envelope.properties.headers["x-death"] = .array([
                    .table(
                        HeaderTable([
                            .init(name: "reason", value: .text("rejected")), .init(name: "count", value: .int64(2)),
                        ]))
                ])
            }
            // Some forty bytes short of what fits into a frame; a replay would have to add more.
            var huge = try Self.publication(Self.identify("bob"), id: "huge")
            huge.envelope = Envelope(properties: MessageProperties(), body: Array("{huge".utf8))
            huge.envelope.properties.headers = HeaderTable([
                .init(name: "kind", value: .text(UserIdentify.kind.rawValue)),
                .init(name: "x-large", value: .text(String(repeating: "h", count: 130_980))),
            ])
            let binary = try Self.publication(Self.identify("cat"), id: "binary") { $0.body = [0xFF, 0, 0x0A] }
            let large = try Self.publication(Self.identify("dan"), id: "large") {
                $0.body = [UInt8](repeating: 0xC0, count: 10 << 20)
            }
            let outcomes = await stranger.publish([broken, huge, binary, large], deadline: .now + .seconds(20))
            #expect(outcomes == [.confirmed, .confirmed, .confirmed, .confirmed])
            try await Self.waitForLetters(4, of: Self.resolver, in: installation)

            let shown = try await installation.succeed("dead", "show", "broken").output
            #expect(shown.contains("undecodable at decode") && shown.contains("header mine = ff 00 80"))
            #expect(shown.contains("header x-death = [{reason: rejected, count: 2}]") && shown.contains("\"user\":42"))
            let export = try await installation.succeed("dead", "export", "--id", "binary", "--id", "large").output
            #expect(export.split(separator: "\n").count == 2 && export.contains(#""base64":"/wAK""#))

            // Two letters of this size go to another partition's store, and back from it.
            let file = installation.folder.appendingPathComponent("export.jsonl")
            try export.write(to: file, atomically: true, encoding: .utf8)
            let known = try await installation.succeed("dead", "import", file.path).output
            #expect(known.contains("0 dead letters added; 2 were there already"))

            try String(export.dropLast(40)).write(to: file, atomically: true, encoding: .utf8)
            let truncated = try await installation.tool(["dead", "import", file.path])
            #expect(truncated.status == 1 && truncated.errors.contains("line 2"), "\(truncated)")

            let editor = installation.folder.appendingPathComponent("editor")
            try "#!/bin/sh\nsed -i 's/:42/:\"ann\"/' \"$1\"\n".write(to: editor, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: editor.path)
            func edit(with editor: String, _ more: String...) async throws -> BuiltExecutable.Output {
                try await BuiltExecutable("tollgate").run(
                    ["dead", "edit", "broken", "--by", "operator"] + more,
                    environment: [
                        "TOLLGATE_BROKER": await installation.address(of: .operatorTool), "EDITOR": editor,
                        "TMPDIR": installation.folder.path, "PATH": "/usr/bin:/bin",
                    ])
            }
            for (editor, complaint) in [("false", "ended with an error"), ("rm -f", "left no file")] {
                let failed = try await edit(with: editor)
                #expect(failed.status == 1 && failed.errors.contains(complaint), "\(failed)")
            }
            let refused = try await edit(with: "sed -i s/:42/:43/")
            #expect(refused.status == 1 && refused.errors.contains("undecodable"), "\(refused)")
            let written = try #require(refused.errors.split(whereSeparator: \.isWhitespace).last)
            #expect(try String(contentsOfFile: String(written), encoding: .utf8).contains("\"user\":43"))
            let edited = try await edit(with: editor.path)
            #expect(edited.status == 0 && edited.output.contains("1  applied"), "\(edited)")
            let user = try await installation.succeed("users", "show", "--app", Installation.app, "ann").output
            #expect(user.contains("ann"))

            let replay = try await installation.tool([
                "dead", "replay", "--reason", "undecodable", "--until", "0s", "--yes",
            ])
            #expect(replay.status == 1 && replay.output.contains("2  failed again"), "\(replay)")
            #expect(replay.output.contains("1  cannot be sent"), "\(replay)")
            let discard = try await installation.succeed(
                "dead", "discard", "--text", "{huge", "--why", "a prank", "--yes"
            ).output
            #expect(discard.contains("1  discarded"))
            let audit = try await installation.succeed("audit").output
            #expect(audit.contains("operator  edit  1 letter") && audit.contains("discard  1 letter"))
            let reconciliation = try await installation.reconciliation()
            #expect(reconciliation.contains("2 dead letters"), "\(reconciliation)")
            try await Self.eraseAndForget("eve", by: stranger, in: installation)
            await installation.tearDown()
        }

        /// Of a user who is erased the archive has a letter, too.
        private static func eraseAndForget(_ user: String, by stranger: any Publisher, in installation: Installation)
            async throws
        {
            let named = try publication(identify(user), id: "named") { $0.body.removeFirst() }
            #expect(await stranger.publish([named], deadline: .now + .seconds(20)) == [.confirmed])
            try await waitForLetters(3, of: resolver, in: installation)
            _ = try await installation.succeed("dead", "discard", "named", "--why", "unreadable", "--yes")
            let erased = try await installation.succeed("users", "erase", user, "--app", Installation.app, "--yes")
            let command = #"dead forget --text '"eve"' --why erased"#
            #expect(erased.output.contains(command), "\(erased)")

            let words = ["dead", "forget", "--text", "\"\(user)\"", "--why", "erased"]
            let preview = try await installation.tool(words).output
            #expect(preview.contains("1 of entitlement-resolver; 1 in the archive"), "\(preview)")
            let forgotten = try await installation.tool(words + ["--yes"])
            #expect(forgotten.status == 0 && forgotten.output.contains("1  forgotten"), "\(forgotten)")
            let shown = try await installation.succeed("dead", "show", "named").output
            #expect(shown.contains("forgotten 2") && !shown.contains(user), "\(shown)")
            let restored = try await installation.succeed("dead", "restore", "named", "--yes").output
            #expect(restored.contains("1 left out: forgotten"), "\(restored)")
            let left = try await installation.succeed("users", "erase", user, "--app", Installation.app).output
            #expect(!left.contains("dead forget"), "\(left)")
            let reconciliation = try await installation.reconciliation()
            #expect(reconciliation.contains("2 dead letters"), "\(reconciliation)")
        }

        @Test("The service is killed again and again during a replay; gone on with, each letter is applied once")
        func killed() async throws {
            let installation = try await Installation.start()
            let count = 600
            await installation.stop(Self.resolver, SIGTERM)
            let settings = ["TOLLGATE_GIVE_UP_AFTER": "1ms"]
            try await installation.start(Self.resolver, settings)
            try await installation.waitUntilReady(Self.resolver)
            let stranger = try await installation.publisher(as: .load)
            let claims = try (0..<count).map { index in
                try Self.publication(
                    LinkClaim(
                        organisation: Self.organisation, app: AppID(rawValue: "com.example.late"),
                        originalTransactionID: OriginalTransactionID(rawValue: "t\(index)"),
                        user: AppUserID(rawValue: "u\(index)"), rank: .unverified),
                    id: "claim-\(index)")
            }
            let outcomes = await stranger.publish(claims, deadline: .now + .seconds(20))
            #expect(outcomes.allSatisfy { $0 == .confirmed })
            try await Self.waitForLetters(count, of: Self.resolver, in: installation)

            let preview = try await installation.succeed("dead", "replay", "--reason", "app_unknown").output
            #expect(
                preview.contains("\(count) dead letters selected") && preview.contains("would fail again"), "\(preview)"
            )
            let run = try #require(preview.split(separator: " ").drop { $0 != "--preview" }.dropFirst().first)
            try await installation.succeed("apps", "add", "--app", "com.example.late")
            _ = await eventually {
                (try? await installation.tool(["dead", "replay", "--preview", String(run)]))?.output
                    .contains("would be applied") == true
            }
            let deaths = Task {
                for _ in 0..<3 {
                    // Any moment will do, so that none is awaited: what strikes comes when it likes.
                    try await Task.sleep(for: .milliseconds(700))
                    await installation.stop(Self.resolver, SIGKILL)
                    try await installation.start(Self.resolver, settings)
                }
            }
            let replay = try await installation.tool(
                ["dead", "replay", "--preview", String(run), "--yes", "--rate", "250/s"])
            try await deaths.value
            try await installation.waitUntilReady(Self.resolver)
            let rest = try await installation.tool(["dead", "replay", "--preview", String(run), "--yes"])

            #expect(rest.status == 0, "\(replay)\n\(rest)")
            #expect(rest.output.contains("\(count)  applied") && rest.output.contains("\(count)  in all"), "\(rest)")
            let groups = try await installation.succeed("dead", "groups", "--json").output
            #expect(groups.contains("\"dead\":0"), "\(groups)")
            let isAccounted = await eventually {
                (try? await installation.reconciliation())?.contains("all is accounted for") == true
            }
            #expect(isAccounted)
            await installation.tearDown()
        }

        @Test("What the broker holds for a service that is down is seen there, and in the store once it runs")
        func straight() async throws {
            let installation = try await Installation.start()
            await installation.stop(Self.resolver, SIGTERM)
            let operatorTool = try await installation.publisher(as: .operatorTool)
            let letters = try (0..<5).map { index in
                var letter = try Self.publication(Self.identify("eve"), id: "odd-\(index)")
                letter.route = Route(exchange: .dead, routingKey: Self.resolver.rawValue)
                return letter
            }
            _ = await operatorTool.publish(letters, deadline: .now + .seconds(10))

            let asked = try await installation.tool(["dead", "list", "--service", Self.resolver.rawValue])
            #expect(asked.status == 2)
            let seen = try await installation.succeed(
                "dead", "list", "--service", Self.resolver.rawValue, "--straight", "--limit", "2"
            ).output
            #expect(seen.contains("odd-0") && seen.contains("odd-1") && !seen.contains("odd-2"))
            #expect(seen.contains("2 of 5") && seen.contains("delivery counts"))
            let json = try await installation.succeed(
                "dead", "list", "--service", Self.resolver.rawValue, "--straight", "--limit", "1", "--json"
            ).output
            #expect(json.hasPrefix(#"{"letters":[{"letter":{"#) && json.contains(#""ready":5,"silent":[]}"#), "\(json)")

            try await installation.start(Self.resolver)
            try await installation.waitUntilReady(Self.resolver)
            try await Self.waitForLetters(5, of: Self.resolver, in: installation)
            let replay = try await installation.succeed(
                "dead", "replay", "--reason", "condemned_by_broker", "--yes", "--ramp", "20,100"
            ).output
            #expect(replay.contains("5  applied") && replay.contains("5  in all"), "\(replay)")
            await installation.tearDown()
        }

        @Test("A message that a process dies of is held back, and by force kills again and is dead again")
        func deadly() async throws {
            let installation = try await Installation.start()
            let service = ServiceName.receiptValidator
            await installation.stop(service, SIGTERM)
            let store = installation.folder.appendingPathComponent("dummy").path
            try await installation.succeed("store", "create", service.rawValue, "--store", store)
            let stranger = try await installation.publisher(as: .load)
            let message = ArtifactSubmit(
                organisation: Self.organisation, app: AppID(rawValue: Installation.app),
                artifact: Artifact(kind: .transaction, text: "deadly"),
                digest: ArtifactDigest(rawValue: Digest.sha256("deadly".utf8).hexadecimal))
            let envelope = Envelope(
                kind: ArtifactSubmit.kind, id: MessageID(rawValue: "deadly"), body: try MessageJSON.encode(message))
            _ = await stranger.publish(
                Publication(envelope, to: .command(service, message.bucket), isMandatory: true),
                deadline: .now + .seconds(10))

            /// Starts the process until the letter is dead in its `generation`.
            func dieUntilDead(generation: Int) async throws {
                var shown = ""
                for _ in 0..<10 where !shown.contains("\"generation\":\(generation),") {
                    if await installation.hasEnded(service) {
                        try await installation.start(service, ["TOLLGATE_STORE": store], executable: "crash-dummy")
                    }
                    _ = await eventually {
                        // Who asks one that ends before it answers would wait for long.
                        if await installation.hasEnded(service) { return true }
                        let list = ["dead", "list", "--json", "--service", service.rawValue, "--timeout", "1s"]
                        shown = (try? await installation.tool(list))?.output ?? ""
                        return shown.contains("\"generation\":\(generation),")
                    }
                }
                #expect(shown.contains("\"reason\":\"crashed\"") && shown.contains("\"generation\":\(generation),"))
            }
            try await dieUntilDead(generation: 0)
            let held = try await installation.tool(["dead", "replay", "deadly", "--yes"])
            #expect(held.output.contains("1  held back"), "\(held)")
            _ = try await installation.tool(
                ["dead", "replay", "deadly", "--yes", "--force", "--settle", "1ms", "--patience", "1ms"])
            try await dieUntilDead(generation: 1)
            await installation.tearDown()
        }
    }
}
