import EntitlementResolver
import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import TestSupport

/// What the store of entitlement-resolver takes of a request with 10^4, 10^5 and 10^6 users in it, as ratios to the first:
/// reading a user, naming one (`identify`), and a purchase with its claim (`attribute`) with all that follows.
///
/// In processor time of the one process, so that neither a disk nor what else the machine does blurs it. Writes are
/// committed 256 messages at a time, as the lane does.
func usersCurve() async throws -> [Finding] {
    let store = try await CurveStore()
    var first: [Double] = []
    var findings: [Finding] = []
    for (power, count) in [(4, 10_000), (5, 100_000), (6, 1_000_000)] {
        try await store.grow(to: count)
        let costs = [
            ("read", try await store.best { try await store.read(2_048) }),
            ("identify", try await store.best { try await store.identify(2_048) }),
            ("attribute", try await store.best { try await store.attribute(1_024) }),
        ]
        if first.isEmpty { first = costs.map(\.1) }
        for (index, (name, cost)) in costs.enumerated() {
            findings.append(
                Finding(
                    benchmark: "curve", what: "µs of processor per \(name) with 10^\(power) users", value: cost,
                    limit: first[index], goal: "≤ 1.5 × that with 10^4", isReached: cost <= 1.5 * first[index]))
        }
    }
    await store.close()
    return findings
}

/// A store of the resolver that is filled and used by its own handlers.
private actor CurveStore {
    private static let desk = ResolverDesk(
        organisation: OrganisationID(rawValue: "bench"), app: AppID(rawValue: "com.example.bench"),
        product: ProductID(rawValue: "pro.monthly"), realm: .stores)
    private static let batch = 256

    private let folder: URL
    private let database: Database
    private var users = 0
    private var messages = 0
    private var random = SeededGenerator(seed: 3)

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-users-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await Database.create(
            at: folder.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "entitlement-resolver"),
            schema: [.lane, EntitlementResolverService.schema], createdAt: Date())
        let desk = Self.desk
        let record = AppRecord(
            organisation: desk.organisation, app: desk.app, version: 1, changedAt: Timestamp(clamping: 0))
        let mapping = ProductMapping(
            organisation: desk.organisation, app: desk.app, product: desk.product,
            entitlements: [EntitlementID(rawValue: "pro")], version: 1, changedAt: Timestamp(clamping: 0))
        try await database.write { transaction in
            try desk.apply(AppChanged(record: record), "app", ProjectApp(), in: transaction)
            try desk.apply(MappingChanged(mapping: mapping), "mapping", ProjectMapping(), in: transaction)
        }
    }

    func close() async {
        await database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The least of five: what else the machine does only adds.
    func best(_ measure: () async throws -> Double) async throws -> Double {
        var best = Double.infinity
        for _ in 0..<5 { best = min(best, try await measure()) }
        return best
    }

    func grow(to count: Int) async throws {
        try await Self.desk.fill(database, with: users..<count)
        users = count
    }

    /// As in a store that is used: between 64 reads and the next something is committed, and with it a reader forgets the
    /// pages that it holds. A small store that nobody writes to would be read from memory alone.
    func read(_ count: Int) async throws -> Double {
        let show = ShowUser(now: { .now })
        var spent = 0.0
        for _ in 0..<(count / 64) {
            _ = try await identify(1)
            let asked = (0..<64).map { _ in Int.random(in: 0..<users, using: &random) }
            let start = processorMicroseconds()
            for user in asked {
                let query = UserGet(
                    organisation: Self.desk.organisation, app: Self.desk.app, user: Self.desk.user(user))
                let verdict = try await database.read { try show.answer(query, in: $0) }
                guard case .applied(let view) = verdict, view.entitlements.count == 1 else {
                    throw TestFailure("user \(user) is not there")
                }
            }
            spent += processorMicroseconds() - start
        }
        return spent / Double(count)
    }

    func identify(_ count: Int) async throws -> Double {
        try await inBatches(count) { desk, user, id, transaction in
            try desk.apply(desk.identification(of: user), id, IdentifyUser(), in: transaction)
        }
    }

    /// Purchases of users who are there.
    func attribute(_ count: Int) async throws -> Double {
        try await inBatches(count) { desk, user, id, transaction in
            try desk.purchase(by: desk.user(user), id, of: desk.bought("new-\(id)"), in: transaction)
        }
    }

    private func inBatches(
        _ count: Int, _ work: @escaping @Sendable (ResolverDesk, Int, String, borrowing Transaction) throws -> Void
    ) async throws -> Double {
        let asked = (0..<count).map { _ in Int.random(in: 0..<users, using: &random) }
        let (before, desk) = (messages, Self.desk)
        messages += count
        let start = processorMicroseconds()
        for first in stride(from: 0, to: count, by: Self.batch) {
            let portion = first..<min(first + Self.batch, count)
            try await database.write { transaction in
                for index in portion { try work(desk, asked[index], "m\(before + index)", transaction) }
                try desk.tellPurchases(in: transaction)
            }
        }
        return (processorMicroseconds() - start) / Double(count)
    }
}

/// What this process has used so far.
private func processorMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}
