import AMQP
import Crypto
import Foundation
import Messages
import Messaging
import ServiceKit
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Messages that a process dies of", .serialized)
    struct CrashTests {
        private static func submission(_ text: String) throws -> Publication {
            let message = ArtifactSubmit(
                organisation: OrganisationID(rawValue: Installation.organisation),
                app: AppID(rawValue: Installation.app), artifact: Artifact(kind: .transaction, text: text),
                digest: ArtifactDigest(rawValue: Digest.sha256(text.utf8).hexadecimal))
            let envelope = Envelope(
                kind: ArtifactSubmit.kind, id: MessageID(at: .now), body: try MessageJSON.encode(message))
            return Publication(envelope, to: .command(.receiptValidator, message.bucket), isMandatory: true)
        }

        /// How many messages receipt-validator has ever applied.
        private static func ended(_ installation: Installation) async throws -> Int {
            struct View: Decodable {
                struct Row: Decodable { let everEnded: Int }
                let rows: [Row]
            }
            let look = ["dead", "watch", "--service", "receipt-validator", "--count", "1", "--json"]
            let output = try await installation.tool(look).output
            return try JSONDecoder().decode(View.self, from: Data(output.utf8)).rows.first?.everEnded ?? 0
        }

        @Test("The message that kills the process again and again becomes a dead letter; its neighbours pass")
        func deadly() async throws {
            let installation = try await Installation.start()
            let service = ServiceName.receiptValidator
            await installation.stop(service, SIGTERM)
            let store = installation.folder.appendingPathComponent("dummy").path
            try await installation.succeed("store", "create", service.rawValue, "--store", store)
            let stranger = try await installation.publisher(as: .load)
            let texts = (0..<60).map { $0 == 31 ? "deadly" : "harmless \($0)" }
            let publications = try texts.map(Self.submission)
            let outcomes = await stranger.publish(publications, deadline: .now + .seconds(10))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            var deaths = 0
            var report = ""
            while deaths < 10, !report.contains("crashed") {
                try await installation.start(service, ["TOLLGATE_STORE": store], executable: "crash-dummy")
                _ = await eventually {
                    // Who asks one that ends before it answers would wait for long.
                    if await installation.hasEnded(service) { return true }
                    report = (try? await installation.tool(["reconcile", "--timeout", "1s"]).output) ?? ""
                    return report.contains("crashed")
                }
                if await installation.hasEnded(service) { deaths += 1 }
            }

            #expect((4...7).contains(deaths), "\(deaths) deaths")
            #expect(report.contains("crashed"))
            let applied = await eventually { (try? await installation.applied(by: service)) == 59 }
            #expect(applied, "\(report)")
            await installation.tearDown()
        }

        @Test(
            "Sixty deaths with a full prefetch, and a handler that is slower than the broker waits: all applied once, none dead"
        )
        func innocent() async throws {
            let installation = try await Installation.start(
                on: .ownNodes(settings: ["consumer_timeout = 1000"]))
            // Usually it looks once a minute.
            try await installation.broker.control("eval", "application:set_env(rabbit, channel_tick_interval, 200).")
            let service = ServiceName.receiptValidator
            await installation.stop(service, SIGTERM)
            let store = installation.folder.appendingPathComponent("dummy").path
            try await installation.succeed("store", "create", service.rawValue, "--store", store)
            let stranger = try await installation.publisher(as: .load)
            let count = 60
            let harmless = try (0..<count).map { try Self.submission("harmless \($0)") }
            let outcomes = await stranger.publish(harmless, deadline: .now + .seconds(10))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            try await AMQPBroker.running(installation.login(of: BrokerUser(of: service))) { broker in
                for _ in 0..<60 {
                    let session = try await broker.openSession(named: "one that dies")
                    let queue = QueueDeclaration.partition(service, 0).name
                    let subscription = try await session.subscribe(to: queue, prefetch: count)
                    var inHand = 0
                    while inHand < count, let more = try await subscription.next(upTo: count, bytes: 1 << 30) {
                        inHand += more.count
                    }
                    #expect(inHand == count)
                    await session.close()
                }
            }
            try await installation.start(service, ["TOLLGATE_STORE": store], executable: "crash-dummy")
            #expect(await eventually(within: .seconds(30)) { (try? await Self.ended(installation)) == count })

            let slow = try (["slow"] + (0..<5).map { "behind it \($0)" }).map(Self.submission)
            _ = await stranger.publish(slow, deadline: .now + .seconds(10))
            #expect(
                await eventually(within: .seconds(30)) { (try? await Self.ended(installation)) == count + slow.count })
            // What comes back is handled before what comes later.
            _ = await stranger.publish(try Self.submission("the last"), deadline: .now + .seconds(10))
            #expect(
                await eventually(within: .seconds(30)) {
                    (try? await Self.ended(installation)) == count + slow.count + 1
                })
            let groups = try await installation.succeed("dead", "groups", "--json").output
            #expect(groups.contains("\"dead\":0,"), "\(groups)")
            let log = installation.broker.folder.appendingPathComponent("log/node.log")
            #expect(
                try String(contentsOf: log, encoding: .utf8).contains("timed out"), "the broker never lost patience")
            await installation.tearDown()
        }
    }
}
