import Foundation
import HTTPClient
import Messages
import Testing
import TestSupport

extension EndToEnd {
    @Suite("tollgate load", .serialized)
    struct LoadTests {
        private struct Report: Decodable {
            struct Row: Decodable {
                struct Counts: Decodable {
                    let sent: Int
                    let accepted: Int
                    let rejected: Int
                }
                let name: String
                let counts: Counts
            }
            struct Threshold: Decodable {
                let threshold: String
                let holds: Bool
            }
            let applied: Int
            let refused: Int
            let dead: Int
            let lost: Int?
            let twice: Int
            let wrong: Int
            let kinds: [Row]
            let disturbances: [Row]
            let notes: [String]
            let isInterrupted: Bool
            let thresholds: [Threshold]

            func sent(_ name: String) -> Int {
                (kinds + disturbances).first { $0.name == name }?.counts.accepted ?? 0
            }
        }

        private static func report(_ output: BuiltExecutable.Output) throws -> Report {
            guard let report = try? JSONDecoder().decode(Report.self, from: Data(output.output.utf8)) else {
                throw TestFailure("\(output.status)\n\(output.output)\n\(output.errors)")
            }
            return report
        }

        @Test(
            "Disturbed in every way and with a service killed in the middle: all is applied once, and the verdict says so"
        )
        func verdict() async throws {
            let installation = try await Installation.start()
            let pids = try installation.noteProcesses()

            let queues = try await installation.load(
                "--through", "queues", "--rate", "100", "--for", "3s", "--duplicates", "10%", "--reorder", "10%",
                "--stale", "5%", "--poison", "5%", "--forged", "5%", "--without-ids", "10%", "--kill",
                "receipt-validator@1s+500ms", "--pids", pids, "--settle", "60s", "--threshold",
                "lost=0,twice=0,wrong=0,failed=0,p99_effect<60s", "--json")

            let report = try Self.report(queues)
            #expect(queues.status == 0, "\(queues.output)\(queues.errors)")
            #expect(report.lost == 0 && report.twice == 0 && report.wrong == 0)
            #expect(report.applied > 60)
            #expect(report.dead == report.sent("poison") && report.dead > 0)
            #expect(report.refused >= report.sent("forged") && report.refused > 0)
            #expect(report.notes.contains { $0.hasPrefix("receipt-validator was started again") })

            // What unlocks nothing would all look lost.
            let nothing = try await installation.load("--through", "queues", "--product", "com.example.other")
            #expect(nothing.status == 1 && nothing.errors.contains("unlocks nothing"), "\(nothing.errors)")

            // The same installation through the edge, judged by what it cannot hold.
            let edge = try await installation.load(
                "--rate", "30..70", "--for", "1s", "--poison", "10%", "--settle", "60s", "--threshold",
                "p50_effect<1ms,lost=0", "--json")

            let judged = try Self.report(edge)
            #expect(edge.status == 1, "\(edge.output)\(edge.errors)")
            #expect(judged.thresholds.map(\.holds) == [false, true])
            #expect(judged.disturbances.first { $0.name == "poison" }?.counts.accepted == 0)

            // Ctrl-C while a service is away.
            let interrupted = try await installation.interruptedLoad(
                "--through", "queues", "--rate", "20", "--for", "60s", "--kill", "event-ingest@100ms+60s", "--pids",
                pids, "--json"
            ) {
                await eventually(within: .seconds(30), every: .milliseconds(20)) {
                    await installation.hasEnded(.eventIngest)
                }
            }
            let part = try Self.report(interrupted)
            #expect(interrupted.status == 130 && part.isInterrupted, "\(interrupted)")
            #expect(part.notes.contains { $0.hasPrefix("event-ingest was started again") }, "\(part.notes)")
            #expect(part.notes.last?.hasSuffix("of 1200 messages were sent, and this is what is known") == true)
            try await installation.waitUntilReady(.eventIngest)
            for service in [ServiceName.eventIngest, .receiptValidator] {
                installation.endProcess(of: service, in: pids)
            }
            await installation.tearDown()
        }

        @Test("An event that one subscriber alone never got is named for him, also where he is the only one")
        func oneSubscriber() async throws {
            let installation = try await Installation.start()
            try await installation.unbind(
                queue: "event-ingest.0", exchange: .events, routingKeys: ["\(AppChanged.kind).%2A"])
            let facts = Bucket.all.map { Route.event(TransactionVerified.kind, $0).routingKey }
            try await installation.unbind(queue: "entitlement-resolver.0", exchange: .events, routingKeys: facts)

            try await installation.succeed("apps", "add", "--app", "com.example.other")
            let load = try PurchaseLoad(1, seed: 61, signedBy: installation.authority)
            try await load.send(to: installation)

            let report = try await installation.tool(["reconcile", "--wait", "3"])
            let lost = report.output.split(separator: "\n").filter { $0.hasPrefix("lost: ") }
            #expect(report.status == 1)
            #expect(lost.count == 2, "\(report.output)")
            #expect(lost.contains { $0.hasPrefix("lost: event-ingest.0") && $0.contains("\(AppChanged.kind).") })
            #expect(
                lost.contains {
                    $0.hasPrefix("lost: entitlement-resolver.0") && $0.contains("\(TransactionVerified.kind).")
                })
            await installation.tearDown()
        }
    }
}
