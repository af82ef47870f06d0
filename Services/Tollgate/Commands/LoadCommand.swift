internal import AMQP
internal import Crypto
internal import FoundationEssentials
internal import HTTPClient
internal import Lane
internal import Messages
internal import Messaging
internal import ServiceKit
internal import StoreSimulator
internal import Synchronization

/// `tollgate load`
struct LoadCommand: ToolCommand {
    static let layout = CommandLayout(
        "load", "Pushes honest traffic with faults, and judges what became of it",
        details: """
            Sends what is due when it is due, however slow the answers are (an open model): latencies count from the \
            intended moment. People and purchases are new with every run; the app's test authority signs them before \
            they are due. What a purchase comes to is seen by following entitlement.changed.v1; at the end people are \
            asked about, and everything is reconciled. Nobody else should use the installation meanwhile. At the edge \
            TOLLGATE_LIMITS=off lifts the limits of callers, which are there to stop just this. Poison sent onto queues \
            stays as dead letters; tollgate dead discard puts them away. Ctrl-C ends it: what \
            was killed is started, the page says what is known by then, and exit is 130; a second one ends it at once. Exit 0 \
            only if every threshold holds.
            """,
        options: LoadOptions.all + LayoutOptions.all + [Reconcile.checkpointInterval] + Conversation.options,
        example: "tollgate load --rate 100 --for 30s --duplicates 5% --threshold 'p99_effect<200ms,lost=0,twice=0'")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        try LoadHost.check(arguments, broker: try BrokerOptions(from: arguments, in: surroundings))
        let request = try Request(arguments, in: surroundings)
        if arguments.isSet(LoadOptions.dryRun) { return try request.preview }
        let report = try await Conversation.open(arguments, in: surroundings) { conversation, options in
            let observer = Observer(
                conversation: conversation, management: options.management, layout: request.layout,
                checkpointInterval: request.checkpointInterval)
            let stop = LoadStop()
            return try await Interruption.calling {
                stop.ask()
                guard !arguments.isSet(CommandLayout.json) else { return }
                surroundings.tell(
                    "interrupted: nothing more is sent; waiting for effects, \(LoadText.seconds(LoadStop.grace)) at most"
                )
            } during: {
                try await request.run(conversation, observer, options, until: stop, in: surroundings)
            }
        }
        let status: ExitStatus = report.isInterrupted ? .interrupted : report.isGood ? .success : .failed
        return try Output(LoadText.page(report), json: report, status: status)
    }
}

/// A run as it was asked for.
private struct Request: Sendable {
    let door: LoadKind.Door
    let schedule: LoadSchedule
    let mix: LoadMix
    let place: LoadWorld.Place
    let kills: [(kill: LoadKill, folder: String)]
    let thresholds: [LoadThreshold]
    let layout: Topology.Layout
    let checkpointInterval: Duration
    private let settle: Duration
    private let mostAsked: Int
    private let mostInFlight: Int
    private let answerTime: Duration
    private let url: String
    private let arguments: Arguments
    private let loadBroker: BrokerSettings?

    init(_ arguments: Arguments, in surroundings: Surroundings) throws {
        self.arguments = arguments
        door = try arguments.value(of: LoadOptions.through)
        let duration = try arguments.value(of: LoadOptions.duration)
        schedule = LoadSchedule(
            try arguments.value(of: LoadOptions.rate), for: duration,
            most: try arguments.value(of: LoadOptions.count))
        var mix = try LoadMix(try arguments.optional(LoadOptions.mix), through: door)
        for (option, disturbance) in LoadOptions.disturbances {
            mix.disturbances[disturbance] = try arguments.value(of: option)
        }
        guard door == .queues || mix.part(of: .nameless) == 0 else {
            throw arguments.wrong("--without-ids: at the edge every message gets an id; it goes with --through queues")
        }
        let notifications = try arguments.optional(LoadOptions.notifications)
        let key = try arguments.optional(LoadOptions.key)
        let named = try arguments.optional(LoadOptions.mix)?.filter { $0.value > 0 } ?? [:]
        guard door == .queues || notifications != nil || named[LoadKind.notification.name] == nil else {
            throw arguments.wrong("--mix: at the edge notification needs --notifications PATH")
        }
        guard key != nil || named[LoadKind.verify.name] == nil else {
            throw arguments.wrong("--mix: verify needs --key KEY, or TOLLGATE_KEY")
        }
        self.mix = mix
        place = LoadWorld.Place(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            product: try arguments.value(of: LoadOptions.product),
            run: try arguments.optional(LoadOptions.seed) ?? UInt32.random(in: 1...2_000_000_000),
            notifications: notifications, key: key)
        let folder = try arguments.value(of: LoadOptions.pids)
        kills = try arguments.all(LoadOptions.kill).map { ($0, folder) }
        let times = kills.map(\.kill).sorted { $0.time < $1.time }
        for (index, kill) in times.enumerated() {
            guard !times[..<index].contains(where: { $0.service == kill.service && $0.time + $0.away >= kill.time })
            else { throw arguments.wrong("--kill \(kill.service): it is away then, killed before") }
        }
        for (kill, folder) in kills {
            guard kill.time < schedule.duration else {
                throw arguments.wrong("--kill \(kill.service): the run is over by then")
            }
            // Refused now, and not in the middle.
            _ = try LocalProcess(kill.service, in: folder)
        }
        let said = try arguments.all(LoadOptions.threshold).flatMap(\.self)
        thresholds = said.isEmpty ? ["lost=0", "twice=0", "wrong=0"].compactMap { LoadThreshold($0) } : said
        settle = try arguments.value(of: LoadOptions.settle)
        mostAsked = try arguments.value(of: LoadOptions.ask)
        mostInFlight = try arguments.value(of: LoadOptions.inFlight)
        answerTime = try arguments.value(of: LoadOptions.answerTime)
        url = try arguments.value(of: LoadOptions.url)
        layout = try LayoutOptions.layout(from: arguments, in: surroundings)
        checkpointInterval = try arguments.value(of: Reconcile.checkpointInterval)
        loadBroker = door == .queues ? try LoadHost.loadBroker(arguments, in: surroundings) : nil
    }

    // MARK: Before

    private struct Preview: Encodable {
        let messages: Int
        let seconds: Double
        let shares: [String: Int]
    }

    /// What would be sent.
    var preview: Output {
        get throws {
            let shares = mix.kinds.map { "\($0.kind.name)=\($0.share)" }.joined(separator: ",")
            let seconds = schedule.duration / .seconds(1)
            let destination = door == .http ? url : "the queues"
            var lines = [
                "would send \(schedule.count) messages in \(LoadText.seconds(schedule.duration)) to \(destination): \(shares)"
            ]
            lines += kills.map { "would kill \($0.kill.service) after \(LoadText.seconds($0.kill.time))" }
            return try Output(
                lines.joined(separator: "\n"),
                json: Preview(
                    messages: schedule.count, seconds: seconds,
                    shares: Dictionary(uniqueKeysWithValues: mix.kinds.map { ($0.kind.name, $0.share) })))
        }
    }

    // MARK: The run

    func run(
        _ conversation: Conversation, _ observer: Observer, _ options: BrokerOptions, until stop: LoadStop,
        in surroundings: Surroundings
    ) async throws -> LoadReport {
        let before = Reconciliation(try await observer.look(), conflicts: nil)
        if let silent = before.silent.first {
            throw ToolFailure(
                .unavailable, "\(silent.service).\(silent.partition) does not answer: \(silent.why)",
                advice: "load needs an installation that runs whole")
        }
        let authority = try SimulateTransaction.authority(in: arguments.value(of: SimulateTransaction.authority))
        try await check(authority, conversation)
        let world = LoadWorld(place, authority: authority)
        let ledger = LoadLedger()
        let start = LoadStart()
        let numbers = LoadNumbers(run: place.run)
        let notes = Mutex<[String]>([])
        let queues = before.partitions.map { "\($0.service).\($0.partition)" }
        let isQuiet = arguments.isSet(CommandLayout.json)
        if !before.isQuiet { notes.withLock { $0.append("the installation was not at rest when it began") } }
        let (after, inquiry) = try await withDoor(in: surroundings) { door in
            try await LoadCourse(
                schedule: schedule,
                supply: LoadSupply(LoadMaker(mix, through: self.door, on: schedule, in: world)), door: door,
                ledger: ledger, start: start,
                watch: LoadWatch(
                    broker: surroundings.connect(options.settings).broker, ledger: ledger, numbers: numbers,
                    began: start),
                stop: stop, kills: kills, mostInFlight: mostInFlight,
                patience: settle
            ) {
                guard !isQuiet else { return }
                var waiting: Int? = 0
                for queue in queues {
                    let ready = try? await conversation.ready(in: queue)
                    waiting = waiting.flatMap { sum in (ready ?? nil).map { sum + $0 } }
                }
                let (open, oldest) = ledger.open()
                surroundings.tell(
                    LoadText.line(
                        start.elapsed, ledger.standing(recently: true), open: open, oldest: oldest, waiting: waiting))
            } note: { text in
                notes.withLock { $0.append(text) }
                if !isQuiet { surroundings.tell(text) }
            }.run {
                // What waited for a service that was killed ends in its time; people are asked about once all is at rest.
                if !isQuiet, !stop.isAsked {
                    surroundings.tell(
                        "all is sent; waiting until it is accounted for, \(LoadText.seconds(settle)) at most (--settle)"
                    )
                }
                let deadline = ContinuousClock.now + settle
                var (observer, conversation) = (observer, conversation)
                if stop.isAsked { conversation.limit = min(conversation.limit, LoadStop.answerTime) }
                observer.conversation = conversation
                let after: Reconciliation
                do {
                    after = try await Reconcile.reconcile(
                        observer, until: stop.limit(deadline), atLast: stop.limit(deadline + Reconcile.patience))
                } catch let failure as ToolFailure where failure.status == .unavailable {
                    // What is known is worth a page all the same.
                    notes.withLock { $0.append("it ended without an answer: \(failure)") }
                    return (Self.silent(before, why: failure), LoadInquiry.Outcome())
                }
                let inquiry = LoadInquiry(
                    conversation: conversation, place: place, numbers: numbers, ledger: ledger, start: start)
                return (
                    after, await inquiry.ask(about: mostAsked) { .now >= stop.limit(.now + .seconds(1)) }
                )
            }
        }
        let open = ledger.close(at: start.elapsed)
        return LoadReport(
            LoadReport.Findings(
                run: place.run, door: door, mix: mix,
                time: stop.isAsked ? min(schedule.duration, start.sendingTook) : schedule.duration,
                sending: start.sendingTook, isInterrupted: stop.isAsked, due: schedule.count,
                standing: ledger.standing(), open: open, notes: notes.withLock { $0 }, inquiry: inquiry, before: before,
                after: after, megabytes: Self.megabytes), judgedBy: thresholds)
    }

    /// A look that nobody has answered, of partitions that did so before.
    private static func silent(_ before: Reconciliation, why failure: ToolFailure) -> Reconciliation {
        let silences = before.partitions.map {
            Look.Silence(service: $0.service, partition: $0.partition, why: "\(failure)")
        }
        return Reconciliation(
            Look(at: .now, counts: [:], reports: [], silent: silences, depths: nil), conflicts: nil)
    }

    /// What is bought has to unlock something, or every purchase would look lost.
    private func check(_ authority: TestAuthority, _ conversation: Conversation) async throws {
        let app = try await conversation.app(place.app, of: place.organisation)
        guard mix.hasPurchases else { return }
        guard app.testRoots.contains(Base64.standard.encode(authority.root.der)) else {
            throw ToolFailure(
                .failed,
                "\(place.app) does not trust the test authority in \(try arguments.value(of: SimulateTransaction.authority))",
                advice: "tollgate apps add --test-root makes an app that does")
        }
        let list = MappingList(organisation: place.organisation, app: place.app)
        guard
            try await conversation.ask(list).contains(where: {
                $0.product.rawValue == place.product && !$0.entitlements.isEmpty
            })
        else {
            throw ToolFailure(
                .failed, "\(place.product) unlocks nothing in \(place.app)",
                advice: "tollgate products map says what it unlocks; --product buys another one")
        }
    }

    /// Opens the door, keeps it open as long as `body` runs.
    private func withDoor<Value: Sendable>(
        in surroundings: Surroundings, _ body: (any LoadDoor) async throws -> Value
    ) async throws -> Value {
        guard let loadBroker else {
            var configuration = HTTPClientConfiguration()
            // What is due beyond it waits for a connection, and the wait counts.
            configuration.maxConnectionsPerHost = 256
            var url = url
            while url.hasSuffix("/") { url.removeLast() }
            return try await body(HTTPDoor(client: HTTPClient(configuration), url: url, timeout: answerTime))
        }
        let connection = surroundings.connect(loadBroker)
        // A session of its own would say at once what is wrong; this login may open none that does anything.
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if let service = connection.service { group.addTask { try? await service.run() } }
            defer { group.cancelAll() }
            return try await body(QueueDoor(publisher: connection.broker.publisher, timeout: answerTime))
        }
    }

    /// The most memory that this process has had (`VmHWM` of proc(5)).
    private static var megabytes: Double? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 / 1_024 }
    }
}
