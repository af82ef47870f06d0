internal import Messages
internal import Messaging
internal import ServiceKit

/// Replays a frozen selection share by share, and watches how it goes.
struct DeadReplayCourse: Sendable {
    struct Plan: Sendable {
        var ramp: DeadRamp
        /// Letters a second; nil: as fast as it goes.
        var rate: Int?
        var isAsNew: Bool
        var isForced: Bool
        var mostReplays: Int
        var by: String
        /// How long to wait for what becomes of them.
        var settle: Duration
        /// How long to wait while nothing goes.
        var patience: Duration

        /// The options that say how it goes: whoever goes on has to mean the same.
        var words: [String] {
            [
                ramp == .none ? nil : ramp.words, rate.map { "--rate \($0)/s" }, isAsNew ? "--as-new" : nil,
                isForced ? "--force" : nil,
            ].compactMap { $0 }
        }
    }

    let office: DeadLetterOffice
    let preview: DeadPreview
    let plan: Plan
    let tell: @Sendable (String) -> Void

    /// How many letters one request sends at most: progress shows after each.
    private static let portion = 5000

    func run() async throws -> DeadReplayReport {
        var before = try await preview.report(office)
        for stage in plan.ramp.stages.indices {
            try await send(stage)
            let report = try await settled()
            let (failed, ended) = (report.failing - before.failing, report.known - before.known)
            // Of a share that was replayed before there is nothing to tell.
            if plan.ramp.stages.count > 1, ended + report.onTheWay > 0 {
                tell("\(plan.ramp.stages[stage])%: \(ended) ended, \(failed) of them failed")
            }
            let isLast = stage == plan.ramp.stages.count - 1
            if !isLast, plan.ramp.stops(failed: failed, of: ended) {
                return DeadReplayReport(
                    run: preview.run, outcomes: report.outcomes,
                    stopped: "\(failed) of the last \(ended) failed; --stop-at says that this is too much")
            }
            if !isLast, report.onTheWay > 0 {
                return DeadReplayReport(
                    run: preview.run, outcomes: report.outcomes,
                    stopped: "of \(report.onTheWay) it is not known yet what became of them")
            }
            before = report
        }
        return before
    }

    /// Sends what the stage asks for, of every partition.
    private func send(_ stage: Int) async throws {
        var pace = plan.rate.map { DeadPace(rate: $0, from: .now) }
        var sent = 0
        for (place, count) in preview.counts.sorted(by: { $0.key < $1.key }) {
            let left = count - plan.ramp.target(of: stage, count: count)
            // Asked for none, it says how many there are; what was held back becomes part of them where force is given.
            var remaining = try await portion(0, at: place).remaining
            while remaining > left {
                let most = pace?.portion(of: Self.portion) ?? Self.portion
                let value = try await portion(min(most, remaining - left), at: place)
                sent += value.sent
                guard value.remaining < remaining else {
                    // Nothing that could be sent is left, or nothing went.
                    if value.sent == 0 { break }
                    continue
                }
                remaining = value.remaining
                if let next = pace?.next(after: value.sent, at: .now) {
                    // The operator has said how fast.
                    try await Task.sleep(until: next, clock: .continuous)
                }
                if sent >= Self.portion { tell("\(sent) sent, \(remaining) left at \(place)") }
            }
        }
    }

    /// One request. Waits as long as the broker takes nothing, or the service is away.
    private func portion(_ count: Int, at place: Place) async throws -> DeadReplay.Value {
        let request = DeadReplay(
            partition: place.partition, run: preview.run, count: count, by: plan.by, isAsNew: plan.isAsNew,
            isForced: plan.isForced, mostReplays: plan.mostReplays)
        let deadline = ContinuousClock.now + plan.patience
        var told: String?
        while true {
            let obstacle: String
            do {
                let value = try await office.ask(request, at: place)
                guard let pause = value.pause, value.sent == 0 else { return value }
                obstacle = pause
            } catch let failure as ToolFailure where failure.status == .unavailable {
                obstacle = failure.description
            } catch let refusal as Refusal {
                throw ToolFailure(refusal, from: place)
            }
            guard ContinuousClock.now < deadline, !Task.isCancelled else {
                throw ToolFailure(.unavailable, "\(place): \(obstacle)")
            }
            if told != obstacle { tell("paused at \(place): \(obstacle)") }
            told = obstacle
            // A partition answers whether it can go on, but does not call: its broker is blocked, or it has no owner.
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Waits until it is known of all that were sent what became of them, or for as long as was said.
    private func settled() async throws -> DeadReplayReport {
        let deadline = ContinuousClock.now + plan.settle
        while true {
            let report = try await preview.report(office)
            guard report.onTheWay > 0, ContinuousClock.now < deadline else { return report }
            // Outcomes are noted with the effects, in the partitions' stores: whoever wants to know looks again.
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
