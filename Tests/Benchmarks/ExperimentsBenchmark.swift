import Foundation
import Lane
import Messages
import PaywallExperiments
import SQLite
import TestSupport

/// Results over 10^6 exposures in one partition, and whether its lane goes on meanwhile.
func experimentsBenchmark() async throws -> [Finding] {
    let store = try await ExposureStoreBench()
    let seconds = try await store.tallySeconds()
    // A tally takes a core while it counts. Whatever else computes takes as much from the lane: on a machine that is busy
    // already, only what goes beyond that is the tally's fault.
    let computing = Task {
        var number = SeededGenerator(seed: 1)
        while !Task.isCancelled { for _ in 0..<100_000 { _ = number.next() } }
    }
    let bare = try await store.impressionsPerSecond(for: .seconds(3))
    computing.cancel()
    await computing.value
    let looking = Task { while !Task.isCancelled { _ = try await store.tally() } }
    let beside = try await store.impressionsPerSecond(for: .seconds(3))
    looking.cancel()
    _ = try? await looking.value
    await store.close()
    return [
        Finding(
            benchmark: "experiments", what: "s for a tally of \(ExposureStoreBench.exposures) exposures",
            value: seconds,
            limit: 2, goal: "< 2 s", isReached: seconds < 2),
        Finding(
            benchmark: "experiments", what: "impressions/s while tallies are asked for one after the other",
            value: beside,
            limit: bare, goal: "≥ 0.8 of those beside a thread that only computes", isReached: beside >= 0.8 * bare),
    ]
}

/// A partition's store with an experiment in it.
///
/// Its million is put in by statements: by messages it takes many minutes, and what is measured is how it is counted.
private final class ExposureStoreBench: Sendable {
    static let exposures = 1_000_000
    private static let (organisation, app) = (
        OrganisationID(rawValue: "bench"), AppID(rawValue: "com.example.bench")
    )
    private static let experiment = ExperimentID(rawValue: "0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f")
    private static let now = Timestamp.now
    private static let window = Duration.seconds(7 * 86_400)

    private let folder: URL
    private let database: Database

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tollgate-experiments-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await Database.create(
            at: folder.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "paywall-experiments"),
            schema: [.lane, PaywallExperimentsService.schema], createdAt: Date())
        try await database.write { try Self.fill($0) }
        _ = try await database.checkpoint()
    }

    func close() async {
        await database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Installs over three variants and 30 days; one in twenty buys within three days, some get their money back.
    private static func fill(_ transaction: borrowing Transaction) throws {
        let start = now - .seconds(30 * 86_400)
        let values = [
            SQLValue(organisation), SQLValue(app), SQLValue(experiment), SQLValue(start), SQLValue(exposures),
        ]
        let rows = """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?5),
                installs AS (
                    SELECT 'install-' || i AS install, 'user-' || i AS user, i % 64 AS bucket,
                        substr('abc', i % 3 + 1, 1) AS variant, IIF(i % 10 = 0, 'unverified', 'attested') AS trust,
                        i % 2 + 1 AS epoch, ?4 + i * 2592 AS at, IIF(i % 20 = 7, ?4 + i * 2592 + 200000000, NULL) AS bought,
                        i FROM n)
            """
        let statements = [
            """
            INSERT INTO assignments (
                organisation, app, install, environment, experiment, bucket, variant, epoch, trust, assigned_at) \(rows)
            SELECT ?1, ?2, install, 'production', ?3, bucket, variant, epoch, trust, at FROM installs
            """,
            """
            INSERT INTO exposures (
                organisation, app, install, experiment, environment, bucket, trust, epoch, variant, exposed_at,
                seen_at, converted_at) \(rows)
            SELECT ?1, ?2, install, ?3, 'production', bucket, trust, epoch, variant, at, at, bought FROM installs
            """,
            """
            INSERT INTO exposed_users (
                organisation, app, experiment, environment, trust, user, bucket, of_several) \(rows)
            SELECT ?1, ?2, ?3, 'production', trust, user, bucket, 0 FROM installs
            """,
            """
            INSERT INTO outcomes (
                organisation, app, experiment, environment, install, realm, transaction_id, user, bucket, revision,
                named_at, counts, purchased_at, is_first, currency, paid, refunded, refund, rank, trust)
                \(rows)
            SELECT ?1, ?2, ?3, 'production', install, '', 't' || i, user, bucket, 1, at, 1, bought, 1,
                IIF(i % 3 = 0, 'EUR', 'USD'), 9990, IIF(i % 50 = 7, 9990, 0), IIF(i % 50 = 7, 'full', NULL), 3,
                trust
            FROM installs WHERE bought IS NOT NULL
            """,
        ]
        for statement in statements { try transaction.run(SQL(composed: statement), bindings: values) }
    }

    func tally() async throws -> ExperimentTally {
        let query = ExperimentTallyGet(
            partition: 0, organisation: Self.organisation, app: Self.app, experiment: Self.experiment, at: Self.now,
            windowMilliseconds: Self.window.wholeMilliseconds)
        let verdict = try await database.read { try TallyExperiment().answer(query, in: $0) }
        guard case .applied(let tally) = verdict else { throw TestFailure("no tally") }
        return tally
    }

    /// The best of three.
    func tallySeconds() async throws -> Double {
        var best = Double.infinity
        for _ in 0..<3 {
            let time = try await timed {
                let exposed = try await tally().counts.reduce(0) { $0 + $1.exposed }
                guard exposed == Self.exposures else { throw TestFailure("\(exposed) exposures") }
            }
            best = min(best, time / .seconds(1))
        }
        return best
    }

    /// Impressions of installs that have seen it already, committed 256 at a time as a lane does.
    func impressionsPerSecond(for span: Duration) async throws -> Double {
        let run = UUID().uuidString
        var count = 0
        let start = ContinuousClock.now
        while .now - start < span {
            let first = count
            try await database.write { transaction in
                for number in first..<(first + 256) { try Self.impression(number, run, transaction) }
            }
            count += 256
        }
        return rate(count, in: .now - start)
    }

    private static func impression(
        _ number: Int, _ run: String, _ transaction: borrowing Transaction
    ) throws {
        let message = ImpressionRecord(
            organisation: organisation, app: app, install: InstallID(rawValue: "install-\(number * 7919 % exposures)"),
            experiment: experiment, renderedSkus: [ProductID(rawValue: "pro.monthly")], storefront: "USA",
            trust: .attested)
        let context = MessageContext(
            id: MessageID(rawValue: "\(run)-\(number)"), kind: ImpressionRecord.kind, bucket: message.bucket,
            acceptedAt: now, now: now, author: BrokerUser(of: .attestGateway))
        var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: now)
        let verdict = try RecordImpression().apply(message, context, in: transaction, outgoing: &outgoing)
        guard case .applied = verdict else { throw TestFailure("\(verdict)") }
    }
}
