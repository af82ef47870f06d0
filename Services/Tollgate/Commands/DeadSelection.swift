internal import FoundationEssentials
internal import Messages
internal import ServiceKit

/// Which dead letters a command is about, as its options and operands say.
struct DeadSelection: Sendable {
    static let service = Option<ServiceName>(
        "--service", "NAME", "Only of this service", expectation: "the name of a service", isRepeatable: true
    ) { name in ServiceName.all.first { $0.rawValue == name } }
    static let kind = Option.text("--kind", "KIND", "Only of this kind", isRepeatable: true)
    static let reason = Option.text("--reason", "CODE", "Only with this reason", isRepeatable: true)
    static let step = Option.text("--step", "STEP", "Only those that ended at this step", isRepeatable: true)
    static let key = Option.text("--key", "KEY", "Only with this key", isRepeatable: true)
    static let version = Option.text(
        "--died-in", "VERSION", "Only those that this version of their service gave up", isRepeatable: true)
    static let text = Option.text(
        "--text", "TEXT", "Only with this text in the error or the body, as it is or as it came")
    static let since = Option<Timestamp>(
        "--since", "TIME", "Only those that died then or later", expectation: PointInTime.expectation,
        parse: PointInTime.parse)
    static let until = Option<Timestamp>(
        "--until", "TIME", "Only those that died before", expectation: PointInTime.expectation,
        parse: PointInTime.parse)
    static let id = Option.text(
        "--id", "ID", "Only this one: a message's id, or SERVICE.PARTITION/NUMBER as list shows it", isRepeatable: true)

    static let options: [any OptionDescription] = [
        service, kind, reason, step, key, version, text, since, until, id,
    ]

    /// In the order in which messages pass through them.
    let services: [ServiceName]
    let isAboutNamedServices: Bool
    /// Whether anything was said: all is selected otherwise.
    let hasConditions: Bool
    private let filter: LetterFilter
    private let numbers: [Place: [Int]]
    private let ids: [String]

    /// Every letter of these services; of all when none is named.
    static func services(_ named: [ServiceName]) throws -> DeadSelection {
        DeadSelection(LetterFilter(), names: [], services: named)
    }

    /// The letter of this name alone.
    static func one(_ name: String) throws -> DeadSelection {
        DeadSelection(LetterFilter(), names: [name], services: [])
    }

    /// - Parameter operands: ids, as `--id` takes them.
    init(from arguments: Arguments, operands: [String] = [], isDiscarded: Bool = false) throws {
        var filter = LetterFilter(isDiscarded: isDiscarded)
        func some(_ option: Option<String>) throws -> [String]? {
            let values = try arguments.all(option)
            return values.isEmpty ? nil : values
        }
        filter.kinds = try some(Self.kind)
        filter.reasons = try some(Self.reason)
        filter.steps = try some(Self.step)
        filter.keys = try some(Self.key)
        filter.versions = try some(Self.version)
        filter.text = try arguments.optional(Self.text)
        filter.since = try arguments.optional(Self.since)
        filter.until = try arguments.optional(Self.until)
        self.init(
            filter, names: try arguments.all(Self.id) + operands, services: try arguments.all(Self.service))
    }

    private init(_ filter: LetterFilter, names: [String], services named: [ServiceName]) {
        var numbers: [Place: [Int]] = [:]
        var ids: [String] = []
        for name in names {
            if let (place, number) = Self.handle(name) {
                numbers[place, default: []].append(number)
            } else {
                ids.append(name)
            }
        }
        let meant = ids.isEmpty ? Set(numbers.keys.map(\.service)) : []
        isAboutNamedServices = !named.isEmpty || !meant.isEmpty
        services = ServiceName.all.filter {
            (named.isEmpty || named.contains($0)) && (meant.isEmpty || meant.contains($0))
        }
        hasConditions =
            isAboutNamedServices || !names.isEmpty || filter != LetterFilter(isDiscarded: filter.isDiscarded)
        self.filter = filter
        self.numbers = numbers
        self.ids = ids
    }

    /// `receipt-validator.0/17`
    static func handle(_ name: String) -> (Place, Int)? {
        guard let slash = name.lastIndex(of: "/"), let dot = name[..<slash].lastIndex(of: "."),
            let service = ServiceName.all.first(where: { $0.rawValue == name[..<dot] }),
            let partition = Int(name[name.index(after: dot)..<slash]), (0..<Bucket.count).contains(partition),
            let number = Int(name[name.index(after: slash)...])
        else { return nil }
        return (Place(service: service, partition: partition), number)
    }

    /// The same letters, whether they wait or are in the archive.
    var wherever: DeadSelection {
        var filter = filter
        filter.isWherever = true
        return DeadSelection(self, filter)
    }

    private init(_ other: DeadSelection, _ filter: LetterFilter) {
        (services, isAboutNamedServices, hasConditions) =
            (other.services, other.isAboutNamedServices, other.hasConditions)
        (numbers, ids) = (other.numbers, other.ids)
        self.filter = filter
    }

    /// What is meant of one partition's letters; nil: none of them can be.
    func filter(at place: Place) -> LetterFilter? {
        var filter = filter
        guard !ids.isEmpty || !numbers.isEmpty else { return filter }
        filter.ids = ids
        filter.numbers = numbers[place] ?? []
        return ids.isEmpty && filter.numbers?.isEmpty == true ? nil : filter
    }
}
