import Foundation
import Messages
import TestSupport

/// The same load twice, with and without a nemesis, and what it comes to.
struct Torture {
    /// What is needed at the end, for quiet and for looking.
    private static let reserve = Duration.seconds(40)
    /// So many lines have every step in them.
    private static let complete = 60

    private let options: Options
    private let lines: [Line]
    private let progress = Progress()
    private let findings = Findings()
    private let start = ContinuousClock.now
    /// What services told without faults.
    private var calmEvents: Set<String> = []

    init(_ options: Options) {
        self.options = options
        lines = Line.plan(seed: options.seed, count: options.lineCount)
    }

    mutating func run() async throws -> Report {
        progress.say("seed \(options.seed), \(lines.count) lines; first without faults")
        let calm = try await withoutFaults()
        guard findings.all.isEmpty else {
            findings.note("the run without faults has gone wrong already; the other one was left out")
            return report(nil, nil, nil, second: nil, compared: [:])
        }
        return try await withFaults(expecting: calm)
    }

    private mutating func withoutFaults() async throws -> FinalState {
        let stage = try await Stage(isRough: false, nodes: 1, patience: Patience(isCalm: true))
        return try await closing(stage) {
            let tap = try await EventTap(stage.installation)
            let run = Run(stage: stage, lines: lines, seed: options.seed, progress: progress)
            let watch = progress.watch("without faults", of: lines.count, at: stage) { 0 }
            let plays = await run.play(over: nil, findings)
            await run.settle(findings)
            watch.cancel()
            try await tap.finish()
            for text in tap.outOfOrder { findings.note("outbox out of order, without any fault: \(text)") }
            for text in tap.toldTwice { findings.note("told twice, without any fault: \(text)") }
            calmEvents.formUnion(tap.kinds.keys)
            let end = try await FinalState(of: stage, after: plays)
            // What is not there cannot differ.
            for kind in ["user", "chain", "event", "experiment"] + (poisons ? ["dead"] : [])
            where end.counts[kind] == nil {
                findings.note("there is no \(kind) at the end of the run without faults, and nothing to compare")
            }
            let inboxes = try await inboxes(of: stage, stage.installation.storeFolder(of:))
            // Few lines have not every step in them.
            if lines.count >= Self.complete {
                let told = Set(tap.kinds.keys.map(MessageKind.init(rawValue:)))
                for fault in Coverage.faults(applied: inboxes.kinds, told: told) { findings.note(fault) }
            }
            return end
        }
    }

    private var poisons: Bool { lines.contains { $0.steps.contains(.poison) } }

    private func withFaults(expecting calm: FinalState) async throws -> Report {
        let patience = Patience(isCalm: false)
        let stage = try await Stage(isRough: true, nodes: options.nodes, patience: patience)
        return try await closing(stage) {
            let echo = try await Echo(stage, seed: options.seed)
            let tap = try await EventTap(stage.installation) { echo.hear($0, by: $1) }
            let theatre = try await Theatre(stage.installation, seed: options.seed, lines: lines.count)
            let nemesis = Nemesis(theatre, on: stage, seed: options.seed, progress)
            let end = max(start + .seconds(options.minutes * 60) - Self.reserve, .now + .seconds(20))
            let time = end - .now
            progress.say("now with faults, for \(time.components.seconds) s")
            let watch = progress.watch("with faults", of: lines.count, at: stage) {
                nemesis.deeds.all.values.reduce(0, +)
            }
            let run = Run(stage: stage, lines: lines, seed: options.seed, progress: progress)
            async let disturbed: Void = disturb(nemesis, until: end, patience)
            let replays = Task { await nemesis.keepReplaying() }
            let plays = await run.play(over: time * 0.8, findings)
            await disturbed
            echo.end()
            replays.cancel()
            await replays.value
            progress.say("waiting for quiet")
            await run.settle(findings)
            watch.cancel()
            try await tap.finish()
            if !Fault.allCases.contains(where: { nemesis.deeds.all[$0.rawValue] != nil }) {
                findings.note("no fault came about, so that nothing is proven")
            }
            for text in tap.toldTwice { findings.note("told twice: \(text)") }
            for kind in calmEvents.subtracting(tap.kinds.keys).sorted() {
                findings.note("no \(kind) was told at all with faults")
            }
            let disturbedEnd = try await FinalState(of: stage, after: plays)
            for difference in calm.differences(to: disturbedEnd) { findings.note(difference) }
            let inboxes = try await inboxes(of: stage) { await theatre.storeFolder(of: $0) }
            await theatre.end()
            return report(stage, nemesis, tap, second: inboxes.second, compared: disturbedEnd.counts)
        }
    }

    private func inboxes(of stage: Stage, _ folder: (ServiceName) async -> String) async throws -> Inboxes {
        for service in Installation.services { await stage.installation.stop(service, SIGTERM) }
        let inboxes = try await Inboxes(of: stage.installation, in: folder)
        if inboxes.second != 0 { findings.note("\(inboxes.second) second applications") }
        return inboxes
    }

    private func disturb(_ nemesis: Nemesis, until end: ContinuousClock.Instant, _ patience: Patience) async {
        await nemesis.run(until: end)
        progress.say("the nemesis has ended")
        patience.begin()
    }

    private func closing<Value>(_ stage: Stage, _ work: () async throws -> Value) async throws -> Value {
        do {
            let value = try await work()
            await stage.close(keepingLogsIn: options.logFolder)
            return value
        } catch {
            await stage.close(keepingLogsIn: options.logFolder)
            throw error
        }
    }

    private func report(
        _ stage: Stage?, _ nemesis: Nemesis?, _ tap: EventTap?, second: Int?, compared: [String: Int]
    ) -> Report {
        let steps = Set(lines.flatMap(\.steps).map(\.name))
        let counts = stage?.tally.all ?? [:]
        let faults = nemesis?.findings.all ?? []
        return Report(
            command: options.command, seed: options.seed,
            seconds: Int((ContinuousClock.now - start).components.seconds),
            steps: counts.filter { steps.contains($0.key) }, disturbances: counts.filter { !steps.contains($0.key) },
            faults: nemesis?.deeds.all ?? [:], events: tap?.kinds ?? [:], eventsSentAgain: tap?.copies ?? 0,
            eventsOutOfOrder: tap?.outOfOrder.count ?? 0, secondApplications: second, compared: compared,
            notDone: Set(faults.filter { !$0.hasPrefix("two owners") }).sorted() + Coverage.lines,
            wrong: faults.filter { $0.hasPrefix("two owners") } + (nemesis?.crashes.all ?? []) + findings.all)
    }
}
