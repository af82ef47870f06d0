import Foundation
import Lane
import Messages
import Messaging
import PaywallExperiments
import SQLite
import ServiceKit
import TestSupport

/// What a fetch costs in a partition with 10^4, 10^5 and 10^6 installs: of one that is assigned, and the first of one.
func paywallCurve() async throws -> [Finding] {
    let store = try await PaywallCurveStore()
    var first: [Double] = []
    var findings: [Finding] = []
    for (power, count) in [(4, 10_000), (5, 100_000), (6, 1_000_000)] {
        try await store.grow(to: count)
        var costs = [(name: "fetch of an assigned install", cost: Double.infinity), ("first fetch", .infinity)]
        for _ in 0..<3 {
            costs[0].cost = min(costs[0].cost, try await store.fetch(4_000))
            costs[1].cost = min(costs[1].cost, try await store.assign(2_048))
        }
        if first.isEmpty { first = costs.map(\.cost) }
        for (known, (name, cost)) in zip(first, costs) {
            findings.append(
                Finding(
                    benchmark: "paywall-curve", what: "µs per \(name) with 10^\(power) installs", value: cost,
                    limit: known,
                    goal: "≤ 1.5 × that with 10^4", isReached: cost <= 1.5 * known))
        }
    }
    await store.close()
    return findings
}

/// A store of paywall-experiments that is filled and used by its own handlers.
private actor PaywallCurveStore {
    private static let organisation = OrganisationID(rawValue: "bench")
    private static let app = AppID(rawValue: "com.example.bench")
    private static let entitlement = EntitlementID(rawValue: "pro")
    private static let batch = 256

    private let folder: URL
    private let database: Database
    private let resolver = ResolvePaywall()
    private var installs = 0
    private var random = SeededGenerator(seed: 3)

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-paywalls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await Database.create(
            at: folder.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "paywall-experiments"),
            schema: [.lane, PaywallExperimentsService.schema], createdAt: Date())
        let keys = ["control", "b"].map(VariantKey.init(rawValue:))
        let sku = PaywallSKU(product: ProductID(rawValue: "monthly"), kind: .subscription)
        let arms = keys.map { Experiment.Arm(variant: $0, weight: 1) }
        let time = Timestamp(clamping: 0)
        let experiment = Experiment(
            organisation: Self.organisation, app: Self.app, id: ExperimentID(rawValue: "bench"),
            entitlement: Self.entitlement, name: "bench", state: .running, coverage: 10_000, arms: arms,
            variants: keys.map { Experiment.Variant(key: $0, skus: [sku]) },
            epochs: [Experiment.Epoch(number: 1, beganAt: time, coverage: 10_000, arms: arms)],
            conversionWindowSeconds: 60, createdAt: time, startedAt: time, changedAt: time)
        let event = ExperimentChanged(experiment: experiment)
        let context = Self.context(of: event)
        try await database.write { transaction in
            var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: context.acceptedAt)
            _ = try ProjectExperiment().apply(event, context, in: transaction, outgoing: &outgoing)
        }
    }

    func close() async {
        await database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Assigns installs until there are so many.
    func grow(to count: Int) async throws {
        let new = (installs..<count).map { Self.request($0) }.sorted { $0.install < $1.install }
        // In the order of their ids: each page is written about once, and filling takes no longer than it has to.
        for first in stride(from: 0, to: new.count, by: 10_000) {
            try await write(Array(new[first..<min(first + 10_000, new.count)]))
        }
        installs = max(installs, count)
        _ = try await database.checkpoint()
    }

    /// Microseconds per fetch of installs that are assigned, each in a snapshot of its own. As in a store that is used:
    /// between 64 of them and the next something is committed, and with it a reader forgets the pages that it holds.
    func fetch(_ count: Int) async throws -> Double {
        let (rounds, fetches) = (count / 64, 64)
        var spent = Duration.zero
        for _ in 0..<rounds {
            _ = try await assign(1)
            let asked = (0..<fetches).map { _ in Self.request(Int.random(in: 0..<installs, using: &random)) }
            let start = ContinuousClock.now
            for request in asked {
                let context = Self.context(of: request)
                let verdict = try await database.read { [resolver] in try resolver.settled(request, context, in: $0) }
                guard case .applied(let offer) = verdict, offer.variant != nil else {
                    throw TestFailure("\(request.install) is not assigned")
                }
            }
            spent += .now - start
        }
        return spent / .microseconds(1) / Double(rounds * fetches)
    }

    /// Microseconds per first fetch, 256 in a commit.
    func assign(_ count: Int) async throws -> Double {
        let new = (installs..<installs + count).map { Self.request($0) }
        installs += count
        let start = ContinuousClock.now
        for first in stride(from: 0, to: count, by: Self.batch) {
            try await write(Array(new[first..<min(first + Self.batch, count)]))
        }
        return (.now - start) / .microseconds(1) / Double(count)
    }

    private func write(_ requests: [PaywallResolve]) async throws {
        try await database.write { [resolver] transaction in
            for request in requests {
                let context = Self.context(of: request)
                var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: context.acceptedAt)
                _ = try resolver.apply(request, context, in: transaction, outgoing: &outgoing)
            }
        }
    }

    /// Installs' ids are random, as phones make them.
    private static func request(_ number: Int) -> PaywallResolve {
        var generator = SeededGenerator(seed: UInt64(number))
        let id = String(generator.next(), radix: 16) + "-" + String(generator.next(), radix: 16)
        return PaywallResolve(
            organisation: organisation, app: app, install: InstallID(rawValue: id), user: AppUserID(rawValue: id),
            entitlement: entitlement, trust: .unverified)
    }

    private static func context<Body: Message>(of message: Body) -> MessageContext {
        MessageContext(
            id: MessageID(rawValue: message.key), kind: Body.kind, bucket: message.bucket, acceptedAt: .now, now: .now,
            author: BrokerUser(of: .attestGateway))
    }
}
