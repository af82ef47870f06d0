internal import Lane
internal import Messages
internal import ServiceKit

/// `tollgate reconcile`
struct Reconcile: ToolCommand {
    static let wait = Option.number(
        "--wait", "SECONDS", "Look again until all is accounted for, for so long at most", in: 0...86_400, default: 0)

    static let checkpointInterval = Option<Duration>(
        "--checkpoint-interval", "DURATION", "Between two checkpoints of a publisher, as the services are set",
        expectation: "a duration such as 500ms or 5s", variable: NumberedPublisher.interval.name,
        default: NumberedPublisher.interval.defaultText
    ) { Duration(settingText: $0) }

    static let watch = Option<Int>.number(
        "--watch", "SECONDS", "Go on, and say every so many seconds how it stands, a line each", in: 1...86_400)
    static let count = Option<Int>.number("--count", "N", "With --watch: end after so many looks", in: 1...1_000_000)

    static let layout = CommandLayout(
        "reconcile", "Says what became of everything that was accepted, and whether all of it is accounted for",
        details: """
            Asks every partition what has arrived and what became of it, puts that beside what publishers say to have \
            sent, and looks for transactions with two holders. Lost is what a publisher's checkpoint confirms and nobody \
            has seen; unproven is what a publisher that was killed sent after its last checkpoint. Dead letters are \
            accounted for: they wait for an operator. The last line is the verdict; exit 0 only if all is accounted for \
            and nothing is on its way. Services say themselves into how many partitions they are split; --partitions is \
            for those that do not answer. Without the management API, what services have in hand is not counted as \
            waiting. With --watch each look is a line, with --json the whole of it; nothing is lost there before two looks \
            some seconds apart have missed it; exit 1 if anything was.
            """,
        options: [wait, watch, count, checkpointInterval] + LayoutOptions.all + Conversation.options,
        example: "tollgate reconcile --wait 30")

    /// Between two looks.
    private static let pause = Duration.milliseconds(250)
    /// What a lane has in hand is known from counts that are up to ten seconds old: what looks lost may only be late.
    static let staleness = Duration.seconds(11)

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let layout = try LayoutOptions.layout(from: arguments, in: surroundings)
        let deadline = ContinuousClock.now + .seconds(try arguments.value(of: wait))
        let interval = try arguments.value(of: checkpointInterval)
        if let seconds = try arguments.optional(watch) {
            guard !arguments.isSet(wait) else { throw arguments.wrong("--wait and --watch do not go together") }
            let watch = ReconcileWatch(
                interval: .seconds(seconds), count: try arguments.optional(count) ?? .max,
                isJSON: arguments.isSet(CommandLayout.json), write: surroundings.write)
            return try await Conversation.open(arguments, in: surroundings) { conversation, options in
                try await watch.run(
                    Observer(
                        conversation: conversation, management: options.management, layout: layout,
                        checkpointInterval: interval))
            }
        }
        guard !arguments.isSet(count) else { throw arguments.wrong("--count needs --watch") }
        let result = try await Conversation.open(arguments, in: surroundings) { conversation, options in
            let observer = Observer(
                conversation: conversation, management: options.management, layout: layout, checkpointInterval: interval
            )
            return try await reconcile(observer, until: deadline, atLast: deadline + patience)
        }
        return try Output(result.text, json: result, status: result.verdict == .accounted ? .success : .failed)
    }

    /// For how long something else may look lost in each look, under steady traffic.
    static let patience = staleness * 3

    /// Looks until all is accounted for.
    ///
    /// - Parameters:
    ///   - deadline: what is on its way then is said to be.
    ///   - last: what looks lost then, and has not done so for long, is not said to be.
    static func reconcile(
        _ observer: Observer, until deadline: @autoclosure () -> ContinuousClock.Instant,
        atLast last: @autoclosure () -> ContinuousClock.Instant
    ) async throws -> Reconciliation {
        var suspicion = Suspicion()
        while true {
            let looked = try await settled(observer)
            let hasJustCome = !suspicion.isEmpty && looked.lost.isEmpty
            let result = suspicion.weigh(looked, at: .now)
            if result.verdict == .accounted { return result }
            if .now >= deadline() {
                // A loss counts only if it is still one after everything on its way has had the time to arrive; and when it
                // has arrived, it is seen as something that moves.
                if suspicion.isEmpty ? !hasJustCome : suspicion.isOlder(than: staleness, at: .now) { return result }
                if .now >= last() { return result.doubting(allBut: []) }
            }
            // Rest is seen by looking twice: nobody announces it.
            try await Task.sleep(for: pause)
        }
    }

    /// Two looks between which nothing moved have seen one moment, in which the holders can be compared too; otherwise
    /// what the first of them saw.
    static func settled(_ observer: Observer) async throws -> Reconciliation {
        let first = Reconciliation(try await observer.look(), conflicts: nil)
        guard first.isQuiet else { return first }
        let look = try await observer.look()
        guard Reconciliation(look, conflicts: nil).isAtRest(since: first) else {
            return Reconciliation(look, conflicts: nil, hasMoved: true)
        }
        return Reconciliation(look, conflicts: try await observer.holdings().conflicts)
    }
}
