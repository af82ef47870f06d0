public import Messages
public import Messaging
public import ServiceKit

/// What a service with partitions is told: where its stores are, which partitions it owns, and how its lanes work.
public struct PartitionSettings: SettingsGroup {
    static let storeFolder = Setting<String>.text(
        "TOLLGATE_STORE", default: nil, "The folder of the service's stores; `tollgate store create` makes them")
    static let count = Setting<PartitionCount>(
        "TOLLGATE_PARTITIONS", default: "1", "Into how many partitions the service is split",
        expectation: "1, 2, 4, 8, 16, 32 or 64"
    ) { text in Int(text).flatMap(PartitionCount.init(rawValue:)) }
    static let owned = Setting<OwnedPartitions>(
        "TOLLGATE_OWN", default: "all", "Which partitions this process owns: all, or numbers and ranges such as 0-3,7",
        expectation: "all, or numbers and ranges such as 0-3,7", parse: OwnedPartitions.init(settingText:))
    static let retryDelays = Setting<[RetryDelay]>(
        "TOLLGATE_RETRY_DELAYS", default: "1s,10s,1m,10m",
        "The rungs of the retry ladder, shortest first; the same for the whole installation",
        expectation: "durations with commas between them, such as 1s,10s,1m", parse: RetryDelay.parse)
    static let givesUpAfter = Setting<Duration>.duration(
        "TOLLGATE_GIVE_UP_AFTER", default: "24h", "How long after its first failure a message becomes a dead letter")
    static let batchCount = Setting<Int>.integer(
        "TOLLGATE_BATCH", in: 1...4096, default: 256, "The most messages that one commit applies")
    static let batchBytes = Setting<Int>.integer(
        "TOLLGATE_BATCH_BYTES", in: 65_536...268_435_456, default: 8_388_608,
        "About how many bytes of messages one commit applies at most")
    static let prefetch = Setting<Int>.integer(
        "TOLLGATE_PREFETCH", in: 1...10_000, default: 512,
        "How many messages a partition has in hand at most; they have to be finished within 5 s when it stops")
    static let inboxKept = Setting<Duration>.duration(
        "TOLLGATE_INBOX_KEPT", default: "168h",
        "How long the ids of applied messages are kept; repeats after that are caught by what they change")
    static let pauseLimit = Setting<Duration>.duration(
        "TOLLGATE_PAUSE_LIMIT", default: "10m",
        "How long a partition that cannot write keeps its messages in hand; well below the broker's consumer timeout")

    /// All of them.
    public static var catalogue: [any SettingDescription] {
        [
            storeFolder, count, owned, retryDelays, givesUpAfter, batchCount, batchBytes, prefetch, inboxKept,
            pauseLimit, NumberedPublisher.interval,
        ]
    }

    /// The folder of the stores.
    public var storeFolder: String
    /// Into how many partitions the service is split.
    public var count: PartitionCount
    /// Which of them this process owns, ascending.
    public var owned: [Int]
    /// Where messages wait that cannot be applied for now.
    public var ladder: RetryLadder
    /// How lanes work.
    public var limits: LaneLimits
    /// Between two checkpoints of the process's publisher.
    public var checkpointInterval: Duration

    /// Reads and checks all of them.
    public init(from settings: Settings) throws(SettingsError) {
        storeFolder = try settings.value(of: Self.storeFolder)
        count = try settings.value(of: Self.count)
        switch try settings.value(of: Self.owned) {
        case .all: owned = Array(0..<count.rawValue)
        case .some(let numbers):
            guard let last = numbers.last, last < count.rawValue else {
                throw SettingsError(
                    name: Self.owned.name, value: numbers.map(String.init).joined(separator: ","),
                    expectation: "partitions below TOLLGATE_PARTITIONS=\(count.rawValue)")
            }
            owned = numbers
        }
        ladder = RetryLadder(
            delays: try settings.value(of: Self.retryDelays),
            givesUpAfter: try settings.value(of: Self.givesUpAfter))
        checkpointInterval = try settings.value(of: NumberedPublisher.interval)
        limits = LaneLimits(
            batchCount: try settings.value(of: Self.batchCount), batchBytes: try settings.value(of: Self.batchBytes),
            prefetch: try settings.value(of: Self.prefetch), inboxKept: try settings.value(of: Self.inboxKept),
            pauseLimit: try settings.value(of: Self.pauseLimit))
    }

    /// The layout that this service declares again at its start.
    public func layout(of service: ServiceName) -> Topology.Layout {
        Topology.Layout(partitions: [service: count], retryDelays: ladder.delays)
    }
}

/// How a lane works.
public struct LaneLimits: Sendable, Hashable {
    /// The most messages of one commit.
    public var batchCount: Int
    /// About the most bytes of one commit.
    public var batchBytes: Int
    /// The most deliveries in hand.
    public var prefetch: Int
    /// How long ids of applied messages are kept.
    public var inboxKept: Duration
    /// How long a paused lane keeps its deliveries.
    public var pauseLimit: Duration
    /// Between passes over what is old.
    public var upkeepInterval: Duration

    /// Limits of these; the defaults are those of the settings.
    public init(
        batchCount: Int = 256, batchBytes: Int = 8 << 20, prefetch: Int = 512, inboxKept: Duration = .seconds(604_800),
        pauseLimit: Duration = .seconds(600), upkeepInterval: Duration = .seconds(60)
    ) {
        self.batchCount = batchCount
        self.batchBytes = batchBytes
        self.prefetch = prefetch
        self.inboxKept = inboxKept
        self.pauseLimit = pauseLimit
        self.upkeepInterval = upkeepInterval
    }
}

/// Which partitions a process owns, as its setting says.
package enum OwnedPartitions: Sendable, Hashable {
    /// Every one.
    case all
    /// Ascending, not empty.
    case some([Int])

    /// Reads `all`, or numbers and ranges such as `0-3,7`.
    package init?(settingText text: String) {
        if text == "all" {
            self = .all
            return
        }
        var numbers: Set<Int> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                0 <= first, first <= last, last < Bucket.count
            else { return nil }
            numbers.formUnion(first...last)
        }
        self = .some(numbers.sorted())
    }
}

extension RetryDelay {
    /// Reads `1s,10s,1m`; nil unless every one is longer than the one before.
    public static func parse(_ text: String) -> [RetryDelay]? {
        var delays: [RetryDelay] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            guard let duration = Duration(settingText: part), duration > delays.last?.duration ?? .zero else {
                return nil
            }
            delays.append(RetryDelay(text: part, duration: duration))
        }
        return delays.isEmpty ? nil : delays
    }
}
