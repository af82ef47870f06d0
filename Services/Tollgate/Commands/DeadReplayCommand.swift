internal import Messages
internal import Messaging
internal import ServiceKit

/// `tollgate dead replay`
struct DeadReplayCommand: ToolCommand {
    static let ramp = Option<[Int]>(
        "--ramp", "PERCENTS", "Replay these shares of the selection one after the other, as long as few fail",
        expectation: "ascending whole numbers from 1 to 100 with commas, such as 1,2,5,20,100", parse: DeadRamp.stages)
    static let stopAt = Option<Double>(
        "--stop-at", "PERCENT", "Stop after a share of the ramp of which more than this failed; a ramp goes with it",
        expectation: "a share such as 10%", parse: DeadRamp.share)
    static let rate = Option<Int>(
        "--rate", "N/s", "No more than so many letters a second", expectation: "a number such as 50/s"
    ) { text in
        Int(text.hasSuffix("/s") ? String(text.dropLast(2)) : text).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }
    static let asNew = Flag("--as-new", "Let them win over what came after them: they count as accepted now")
    static let force = Flag(
        "--force", "Also what has been replayed in vain so often, and what a process has died of")
    static let tried = Option.number(
        "--try", "N", "How many letters a preview tries", in: 0...1_000_000, default: 1000)
    static let settle = Option<Duration>(
        "--settle", "DURATION", "How long to wait for what becomes of them, after each share and at the end",
        expectation: "a duration such as 30s", default: "30s", parse: Duration.init(settingText:))
    static let patience = Option<Duration>(
        "--patience", "DURATION", "How long to wait while the broker takes nothing or the service is away",
        expectation: "a duration such as 10m", default: "10m", parse: Duration.init(settingText:))

    static let layout = CommandLayout(
        "dead replay", "Puts dead letters back onto their queues, so that they really run again",
        details: """
            Without --yes it selects, freezes the selection, tries what would become of the letters, undoes that, and \
            names the preview; --preview ID --yes then replays exactly these, whatever has died meanwhile. Each goes \
            under its own id with every property, and leaves the dead letters once the broker has confirmed it. The same \
            command goes on after an interruption; nothing is replayed twice by it. Each letter is tried once: what waited \
            in the retry ladder to its end is a dead letter again at once if it fails. Exit 0 only if none failed.
            """,
        operands: DeadPreview.operands,
        options: DeadPreview.options + [ramp, stopAt, rate, asNew, force, tried, settle, patience]
            + Conversation.options,
        example: "tollgate dead replay --reason app_unknown --ramp 1,10,100 --stop-at 10%")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let stages = try arguments.optional(ramp)
        let share = try arguments.optional(stopAt)
        let isRamped = stages != nil || share != nil
        let course = DeadReplayCourse.Plan(
            ramp: isRamped ? DeadRamp(stages: stages ?? [1, 2, 5, 20, 100], stopAt: share ?? 0.1) : .none,
            rate: try arguments.optional(rate), isAsNew: arguments.isSet(asNew), isForced: arguments.isSet(force),
            mostReplays: try arguments.value(of: DeadPreview.mostReplays),
            by: try OperatorOptions.name(from: arguments, in: surroundings), settle: try arguments.value(of: settle),
            patience: try arguments.value(of: patience))
        return try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            var preview = try await DeadPreview.make(arguments, in: surroundings, office: office)
            guard arguments.isSet(DeadPreview.yes) else {
                try await preview.foretell(
                    upTo: try arguments.value(of: tried), isAsNew: course.isAsNew, office: office)
                return try Output(preview.forecast.text("replay", course.words), json: preview.forecast)
            }
            guard !preview.counts.isEmpty else {
                return try Output(preview.forecast.none, json: DeadReplayReport(run: preview.run, outcomes: []))
            }
            let before = try await preview.report(office)
            // What was held back may go with other options.
            guard before.remaining + before.onTheWay + before.count(.guarded) > 0 else {
                return try Output(
                    "nothing of it is left to be replayed; this is what became of it\n\(before.text)", json: before,
                    status: before.isGood ? .success : .failed)
            }
            let goOn =
                "go on with: tollgate dead replay --preview \(preview.run) --yes"
                + course.words.map { " \($0)" }.joined()
            let replay = DeadReplayCourse(office: office, preview: preview, plan: course, tell: surroundings.tell)
            do {
                let report = try await replay.run()
                let again = report.remaining > 0 ? "\n\(goOn)" : ""
                return try Output(report.text + again, json: report, status: report.isGood ? .success : .failed)
            } catch let failure as ToolFailure {
                throw ToolFailure(failure.status, failure.description, advice: goOn)
            }
        }
    }
}
