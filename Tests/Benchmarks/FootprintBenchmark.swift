import Foundation
import Messages
import TestSupport

/// Memory and processor time of each service at rest, and how long it takes to be ready.
func footprintBenchmark() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    try await Task.sleep(for: .seconds(3))
    let before = Installation.services.map { installation.processorSeconds(of: $0) }
    let interval = 10.0
    try await Task.sleep(for: .seconds(interval))
    var findings: [Finding] = []
    for (service, start) in zip(Installation.services, before) {
        let memory = installation.residentMegabytes(of: service)
        let share = (installation.processorSeconds(of: service) - start) / interval * 100
        findings += [
            Finding(
                benchmark: "footprint", what: "\(service) idle, MB", value: memory, goal: "< 30", isReached: memory < 30
            ),
            Finding(
                benchmark: "footprint", what: "\(service) idle, % of a core", value: share, goal: "< 0.5",
                isReached: share < 0.5),
        ]
    }
    for service in Installation.services {
        await installation.stop(service, SIGTERM)
        let start = ContinuousClock.now
        try await installation.start(service)
        while await !installation.isReady(service) {
            guard .now - start < .seconds(20) else { throw TestFailure("\(service) is not ready") }
        }
        let time = (.now - start) / .seconds(1)
        findings.append(
            Finding(
                benchmark: "footprint", what: "\(service) start to ready, s", value: time, goal: "< 1",
                isReached: time < 1))
    }
    await installation.tearDown()
    return findings
}
