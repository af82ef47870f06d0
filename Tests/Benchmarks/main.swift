import Foundation

/// What a benchmark reached, against a limit that was taken in the same run.
struct Finding: Codable {
    let benchmark: String
    /// What was measured, with its unit.
    let what: String
    let value: Double
    /// What it is compared with; absent where the number stands for itself.
    var limit: Double?
    /// What it has to be, as the issue or the README says it.
    let goal: String
    let isReached: Bool
}

let benchmarks: [(name: String, run: () async throws -> [Finding])] = [
    ("verify", verifyFindings), ("artifacts", artifactBenchmark), ("broker", brokerBenchmark), ("lane", laneBenchmark),
    ("dead-letters", deadLetterBenchmark),
    ("edge", edgeBenchmark),
    ("attest", attestBenchmark),
    ("users", usersBenchmark),
    ("events", eventsBenchmark),
    ("paywall", paywallBenchmark),
    ("paywall-curve", paywallCurve),
    ("guest-curve", guestCurve),
    ("curve", usersCurve),
    ("request-curve", requestCurve),
    ("why", whyBenchmark),
    ("experiments", experimentsBenchmark),
    ("funnel", funnelBenchmark),
    ("load", loadBenchmark),
    ("main-job", mainJobBenchmark),
    ("footprint", footprintBenchmark),
]

var names = Array(CommandLine.arguments.dropFirst())
let asJSON = names.contains("--json")
names.removeAll { $0 == "--json" }
if names.contains("--help") || names.contains(where: { name in !benchmarks.contains { $0.name == name } }) {
    print("usage: benchmarks [--json] [NAME …]    names: \(benchmarks.map(\.name).joined(separator: " "))")
    exit(names.contains("--help") ? 0 : 64)
}

var findings: [Finding] = []
for (name, run) in benchmarks where names.isEmpty || names.contains(name) {
    FileHandle.standardError.write(Data("\(name) …\n".utf8))
    do {
        findings += try await run()
    } catch {
        FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
        exit(1)
    }
}
if asJSON {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(findings), as: UTF8.self))
} else {
    for finding in findings {
        let limit = finding.limit.map { String(format: ", limit %.4g, ratio %.2f", $0, finding.value / $0) } ?? ""
        print(
            String(
                format: "%@ %-9@ %@: %.4g%@ (goal: %@)", finding.isReached ? "✔" : "✘", finding.benchmark as NSString,
                finding.what as NSString, finding.value, limit as NSString, finding.goal as NSString))
    }
}
