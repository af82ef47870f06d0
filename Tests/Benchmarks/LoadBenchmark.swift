import Foundation
import TestSupport

/// What `tollgate load` can drive, against what an installation takes of it in the same run: a driver that is no faster
/// than what it drives measures itself.
func loadBenchmark() async throws -> [Finding] {
    struct Report: Decodable {
        struct Row: Decodable {
            struct Counts: Decodable { let sent, accepted: Int }
            let counts: Counts
        }
        struct Latency: Decodable {
            let name: String
            /// In milliseconds.
            let max: Double?
        }
        let seconds: Double
        let kinds: [Row]
        let latencies: [Latency]
        let megabytes: Double?

        /// Seconds from the first message that was due to the last of these.
        func span(of name: String) -> Double {
            seconds + (latencies.first { $0.name == name }?.max ?? 0) / 1000
        }
    }
    let installation = try await Installation.start(on: .ownNodes())
    let output = try await installation.load(
        "--through", "queues", "--rate", "4000", "--for", "5s", "--in-flight", "40000", "--answer-within", "60s",
        "--settle", "5m", "--ask", "100", "--mix", "identify=40,attribute=30,renewal=15,notification=5", "--json")
    await installation.tearDown()
    guard output.status == 0 else { throw TestFailure("load: \(output.status)\n\(output.output)\(output.errors)") }
    let report = try JSONDecoder().decode(Report.self, from: Data(output.output.utf8))
    let sent = report.kinds.reduce(0) { $0 + $1.counts.sent }
    let accepted = report.kinds.reduce(0) { $0 + $1.counts.accepted }
    let driven = Double(sent) / report.span(of: "late")
    let taken = Double(accepted) / report.span(of: "effect")
    let megabytes = report.megabytes ?? 0
    return [
        Finding(
            benchmark: "load", what: "messages/s driven onto the queues, and applied meanwhile", value: driven,
            limit: taken, goal: "≥ 2 of what the installation takes", isReached: driven >= 2 * taken),
        Finding(
            benchmark: "load", what: "MB at most that the driver took", value: megabytes, goal: "< 256",
            isReached: megabytes < 256),
    ]
}
