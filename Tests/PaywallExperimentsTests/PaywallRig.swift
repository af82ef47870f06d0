import Apps
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport

@testable import PaywallExperiments

/// A partition without lane and broker, which knows one app.
final class PaywallRig: Sendable {
    static let organisation = OrganisationID(rawValue: "demo")
    static let app = AppID(rawValue: "com.example.tunes")
    static let pro = EntitlementID(rawValue: "pro")

    private let folder = TemporaryFolder()
    let database: Database
    let resolver = ResolvePaywall()

    init(knowsApp: Bool = true) async throws {
        database = try await Database.create(
            at: folder.url.appendingPathComponent("store.sqlite").path,
            as: StoreIdentity(service: "paywall-experiments"), schema: [.lane, PaywallExperimentsService.schema],
            createdAt: Date(timeIntervalSince1970: 0))
        guard knowsApp else { return }
        let record = AppRecord(organisation: Self.organisation, app: Self.app, version: 1, changedAt: .second(0))
        _ = try await run(ProjectApp(), AppChanged(record: record), at: 0)
    }

    /// Applies a message in a savepoint of its own, as the lane does.
    ///
    /// - Parameters:
    ///   - second: when it was accepted.
    ///   - author: whose login has published it.
    @discardableResult
    func run<Handler: MessageHandler>(
        _ handler: Handler, _ message: Handler.Body, at second: Int, id: String? = nil, from author: ServiceName? = nil
    ) async throws -> Ending<Handler.Value> where Handler.Prepared == Handler.Body {
        let context = MessageContext(
            id: MessageID(rawValue: id ?? "at-\(second)"), kind: Handler.Body.kind, bucket: message.bucket,
            acceptedAt: .second(second), now: .second(1_000_000), author: author.map(BrokerUser.init(of:)))
        return try await database.write { transaction in
            var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: context.acceptedAt)
            let verdict = try handler.apply(message, context, in: transaction, outgoing: &outgoing)
            return Ending(verdict, outgoing.publications.map(\.envelope))
        }
    }

    /// What became of it.
    struct Ending<Value: Sendable>: Sendable {
        var value: Value?
        var refusal: Refusal?
        var published: [Envelope]

        init(_ verdict: Lane.Verdict<Value>, _ published: [Envelope]) {
            self.published = published
            switch verdict {
            case .applied(let value), .overtaken(let value): self.value = value
            case .refused(let refusal): self.refusal = refusal
            }
        }

        func all<Body: Message>(_ type: Body.Type) throws -> [Body] {
            try published.filter { $0.kind == type.kind }.map { try MessageJSON.decode(type, from: $0.body) }
        }
    }

    // MARK: What an operator says

    @discardableResult
    func put(_ skus: [PaywallSKU], of entitlement: EntitlementID = pro, at second: Int = 1, expecting: Int? = nil)
        async throws -> Ending<PaywallConfiguration>
    {
        try await run(
            PutPaywall(),
            PaywallPut(
                organisation: Self.organisation, app: Self.app, entitlement: entitlement, skus: skus,
                expectedVersion: expecting), at: second)
    }

    @discardableResult
    func create(
        _ id: String = "one", coverage: Int = 10_000, weights: [Int] = [1, 1], at second: Int = 2
    ) async throws -> Ending<Experiment> {
        try await run(CreateExperiment(), .draft(id, coverage: coverage, weights: weights), at: second)
    }

    @discardableResult
    func start(_ id: String = "one", at second: Int = 3, expecting: Int? = nil) async throws -> Ending<Experiment> {
        try await run(
            StartExperiment(),
            ExperimentStart(
                organisation: Self.organisation, app: Self.app, experiment: ExperimentID(rawValue: id),
                expectedVersion: expecting), at: second)
    }

    @discardableResult
    func stop(_ id: String = "one", at second: Int = 100, expecting: Int? = nil) async throws -> Ending<Experiment> {
        try await run(
            StopExperiment(),
            ExperimentStop(
                organisation: Self.organisation, app: Self.app, experiment: ExperimentID(rawValue: id),
                expectedVersion: expecting), at: second)
    }

    @discardableResult
    func change(
        _ id: String = "one", at second: Int = 50, _ adjust: (inout ExperimentChange) -> Void
    ) async throws -> Ending<Experiment> {
        var change = ExperimentChange(
            organisation: Self.organisation, app: Self.app, experiment: ExperimentID(rawValue: id))
        adjust(&change)
        return try await run(ChangeExperiment(), change, at: second)
    }

    /// A paywall and an experiment that runs on it.
    static func running(coverage: Int = 10_000, weights: [Int] = [1, 1]) async throws -> PaywallRig {
        let rig = try await PaywallRig()
        try await rig.put(.plain)
        try await rig.create(coverage: coverage, weights: weights)
        try await rig.start()
        return rig
    }

    // MARK: What a phone asks

    /// As the lane does it: first a look, and where that is no answer, a write.
    func fetch(
        _ install: String, as user: String = "anna", entitlement: EntitlementID = pro,
        in environment: StoreEnvironment = .production, forcing variant: String? = nil, trust: Trust = .unverified,
        at second: Int = 10
    ) async throws -> (offer: PaywallOffer?, refusal: Refusal?, isSettled: Bool, published: [Envelope]) {
        let request = PaywallResolve(
            organisation: Self.organisation, app: Self.app, install: InstallID(rawValue: install),
            user: AppUserID(rawValue: user), entitlement: entitlement, environment: environment,
            forceVariant: variant.map(VariantKey.init(rawValue:)), trust: trust)
        let context = MessageContext(
            id: MessageID(rawValue: "look"), kind: PaywallResolve.kind, bucket: request.bucket,
            acceptedAt: .second(second), now: .second(second), author: BrokerUser(of: .attestGateway))
        let settled = try await database.read { [resolver] in try resolver.settled(request, context, in: $0) }
        if let settled {
            let ending = Ending(settled, [])
            return (ending.value, ending.refusal, true, [])
        }
        let ending = try await run(resolver, request, at: second)
        return (ending.value, ending.refusal, false, ending.published)
    }

    func assignments(of install: String) async throws -> [Assignment] {
        try await database.read { snapshot in
            try AssignmentStore.all(
                of: InstallID(rawValue: install), of: Self.app, of: Self.organisation, in: nil, in: snapshot)
        }
    }

    func users(of install: String, in environment: StoreEnvironment = .production) async throws -> [String] {
        try await database.read { snapshot in
            try InstallUserStore.all(
                of: .init(
                    organisation: Self.organisation, app: Self.app, install: InstallID(rawValue: install),
                    environment: environment), in: snapshot
            ).map(\.user.rawValue)
        }
    }
}

extension Timestamp {
    /// So many seconds after an arbitrary day.
    static func second(_ number: Int) -> Timestamp {
        Timestamp(clamping: 1_796_000_000_000 + Int64(number) * 1_000)
    }
}

extension [PaywallSKU] {
    static let plain = offers("plain.monthly", "plain.annual")

    static func offers(_ products: String...) -> [PaywallSKU] {
        products.map { PaywallSKU(product: ProductID(rawValue: $0), kind: .subscription) }
    }
}

extension ExperimentCreate {
    /// With the variants control, b, c, … of these weights.
    static func draft(
        _ id: String = "one", entitlement: EntitlementID = PaywallRig.pro, coverage: Int = 10_000,
        weights: [Int] = [1, 1]
    ) -> ExperimentCreate {
        let keys = ["control", "b", "c", "d"].prefix(weights.count).map(VariantKey.init(rawValue:))
        return ExperimentCreate(
            organisation: PaywallRig.organisation, app: PaywallRig.app, experiment: ExperimentID(rawValue: id),
            entitlement: entitlement, name: "Annual first", coverage: coverage,
            arms: zip(keys, weights).map { Experiment.Arm(variant: $0, weight: $1) },
            variants: keys.map { Experiment.Variant(key: $0, skus: .offers("\($0).monthly")) })
    }
}

func arms(_ weights: KeyValuePairs<String, Int>) -> [Experiment.Arm] {
    weights.map { Experiment.Arm(variant: VariantKey(rawValue: $0.key), weight: $0.value) }
}

func variant(_ key: String, _ products: String...) -> Experiment.Variant {
    Experiment.Variant(
        key: VariantKey(rawValue: key),
        skus: products.map { PaywallSKU(product: ProductID(rawValue: $0), kind: .subscription) })
}
