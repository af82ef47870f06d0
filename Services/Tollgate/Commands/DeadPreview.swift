internal import Messages
internal import Messaging

/// Selects letters and freezes the selection, for commands that change much: first they say what they would do, and then
/// they do it to exactly these.
struct DeadPreview: Sendable {
    static let yes = Flag("--yes", "Do it; without, it is only said what would be done")
    static let preview = Option.text("--preview", "ID", "What an earlier preview has selected; goes on where it ended")
    static let all = Flag("--all", "Every dead letter, if no condition is given")
    static let mostReplays = Option.number(
        "--loop-guard", "N", "What has been replayed so often is held back unless --force is given", in: 1...1000,
        default: 3)

    static let options: [any OptionDescription] =
        DeadSelection.options + [all, preview, yes, mostReplays, OperatorOptions.by]
    static let operands = [
        Operand("ID", "As --id takes it", isRepeatable: true, isRequired: false)
    ]

    /// Where the letters are that are meant.
    enum Part {
        case waiting
        case archive
        case both
    }

    let run: MessageID
    /// How many letters each partition has in it.
    private(set) var counts: [Place: Int] = [:]
    private(set) var forecast: DeadForecast
    /// The numbers of the newest few of each partition.
    private var examples: [Place: [Int]] = [:]

    /// Freezes what the arguments say, or finds what was frozen before.
    static func make(
        _ arguments: Arguments, in surroundings: Surroundings, office: DeadLetterOffice, of part: Part = .waiting
    ) async throws -> DeadPreview {
        let operands = arguments.operands(from: 0)
        var selection = try DeadSelection(
            from: arguments, operands: operands, isDiscarded: part == .archive)
        if part == .both { selection = selection.wherever }
        let most = try arguments.value(of: mostReplays)
        if let name = try arguments.optional(preview) {
            guard !selection.hasConditions || selection.isAboutNamedServices && operands.isEmpty else {
                throw arguments.wrong("--preview says already which letters are meant")
            }
            return try await find(MessageID(rawValue: name), selection, mostReplays: most, office)
        }
        guard selection.hasConditions || arguments.isSet(all) else {
            throw arguments.wrong("which dead letters? Give a condition, an ID, or --all")
        }
        let by = try OperatorOptions.name(from: arguments, in: surroundings)
        var preview = DeadPreview(run: MessageID(at: .now))
        let (places, silent) = try await office.places(of: selection)
        preview.forecast.silent = silent
        for place in places {
            guard let filter = selection.filter(at: place) else { continue }
            let frozen = try await office.ask(
                DeadFreeze(
                    partition: place.partition, run: preview.run, filter: filter, by: by, mostReplays: most), at: place)
            preview.take(frozen, at: place)
        }
        return preview
    }

    /// One letter alone.
    static func make(of place: Place, number: Int, by: String, office: DeadLetterOffice) async throws -> DeadPreview {
        var filter = LetterFilter()
        filter.numbers = [number]
        var preview = DeadPreview(run: MessageID(at: .now))
        let freeze = DeadFreeze(
            partition: place.partition, run: preview.run, filter: filter, by: by, mostReplays: 1000)
        preview.take(try await office.ask(freeze, at: place), at: place)
        return preview
    }

    private init(run: MessageID) {
        self.run = run
        forecast = DeadForecast(run: run)
    }

    private static func find(
        _ run: MessageID, _ selection: DeadSelection, mostReplays: Int, _ office: DeadLetterOffice
    ) async throws -> DeadPreview {
        var preview = DeadPreview(run: run)
        let (places, silent) = try await office.places(of: selection)
        preview.forecast.silent = silent
        var isKnown = false
        for place in places {
            let found = try await office.ask(DeadOutcomesGet(partition: place.partition, run: run), at: place)
            guard let filter = found.filter else { continue }
            isKnown = true
            // The same name again: completes what was frozen only in part, and tells the rest.
            let frozen = try await office.ask(
                DeadFreeze(partition: place.partition, run: run, filter: filter, by: "", mostReplays: mostReplays),
                at: place)
            preview.take(frozen, at: place)
        }
        guard isKnown else {
            throw ToolFailure(
                .failed, "there is no preview \(run)",
                advice: "previews are forgotten after 30 days; make one with the same conditions")
        }
        return preview
    }

    private mutating func take(_ frozen: DeadFreeze.Value, at place: Place) {
        forecast.add(frozen, at: place)
        if frozen.count > 0 { counts[place] = frozen.count }
        examples[place] = frozen.examples
    }

    /// Says where the letters are, and shows the newest few of each partition.
    mutating func showExamples(_ office: DeadLetterOffice) async throws {
        for (place, numbers) in examples.sorted(by: { $0.key < $1.key }) where !numbers.isEmpty {
            var filter = LetterFilter()
            filter.isWherever = true
            filter.numbers = numbers
            let page = DeadPageGet(partition: place.partition, filter: filter, limit: numbers.count)
            forecast.examples += try await office.ask(page, at: place).letters.map {
                DeadList.Page.Entry(service: place.service, partition: place.partition, letter: $0)
            }
        }
    }

    /// Tries up to `limit` letters, some of every partition, and tells what they would come to.
    ///
    /// - Parameter isAsNew: whether they would win over what came after them.
    mutating func foretell(upTo limit: Int, isAsNew: Bool, office: DeadLetterOffice) async throws {
        for place in counts.keys.sorted() {
            var left = (limit + counts.count - 1) / max(1, counts.count)
            var cursor: Int?
            repeat {
                guard left > 0 else { break }
                let value = try await office.ask(
                    DeadForetell(
                        partition: place.partition, run: run, after: cursor, count: min(100, left),
                        isAsNew: isAsNew ? true : nil), at: place)
                forecast.add(value)
                left -= 100
                cursor = value.next
            } while cursor != nil
        }
    }

    /// What has become of the letters so far.
    func report(_ office: DeadLetterOffice, stopped: String? = nil) async throws -> DeadReplayReport {
        var outcomes: [OutcomeCount] = []
        for place in counts.keys.sorted() {
            outcomes += try await office.ask(DeadOutcomesGet(partition: place.partition, run: run), at: place).outcomes
        }
        return DeadReplayReport(run: run, outcomes: outcomes, stopped: stopped)
    }
}
