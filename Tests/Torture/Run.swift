import Foundation
import Messages
import TestSupport

/// A plan played once.
struct Run {
    /// How many lines are played beside each other.
    static let width = 24

    let stage: Stage
    let lines: [Line]
    let seed: UInt64
    let progress: Progress

    /// Plays all lines.
    ///
    /// - Parameters:
    ///   - time: over which they begin; nil: each as soon as there is room.
    ///   - findings: what could not be brought about.
    func play(over time: Duration?, _ findings: Findings) async -> [LinePlay] {
        let start = ContinuousClock.now
        return await withTaskGroup(of: LinePlay?.self) { group in
            var plays: [LinePlay] = []
            for (index, line) in lines.enumerated() {
                if index >= Self.width, let play = await group.next() ?? nil { plays.append(play) }
                if let time {
                    // So that there is something to be hurt as long as there is somebody to hurt it.
                    try? await Task.sleep(until: start + time * (Double(index) / Double(lines.count)))
                }
                group.addTask {
                    var play = LinePlay(line, on: stage, seed: seed)
                    do {
                        try await play.run()
                    } catch {
                        findings.note("\(error)")
                    }
                    progress.lines.add("done")
                    return play
                }
            }
            for await play in group { if let play { plays.append(play) } }
            return plays.sorted { $0.line.number < $1.line.number }
        }
    }

    /// Waits until nothing is on its way; what has died of what is over now is replayed first.
    func settle(_ findings: Findings) async {
        await stage.stragglers.end()
        for service in Installation.services {
            do { try await stage.installation.waitUntilReady(service) } catch { findings.note("\(error)") }
        }
        var report = ""
        for _ in 0..<3 {
            let verdict = try? await stage.installation.tool(["reconcile", "--wait", "45"])
            report = verdict.map { $0.output + $0.errors } ?? "no answer"
            let dead = try? await stage.installation.tool(["dead", "list", "--reason", "app_unknown", "--names"])
            guard dead?.output.contains("/") == true else {
                if verdict?.status == 0 { return }
                break
            }
            _ = try? await stage.installation.tool(["dead", "replay", "--yes", "--force", "--reason", "app_unknown"])
        }
        findings.note("reconcile: \(report.suffix(3000))")
    }
}
