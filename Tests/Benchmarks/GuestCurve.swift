import Foundation
import Lane
import Messages
import PaywallExperiments
import SQLite
import TestSupport

/// What one more exposure and one more purchase cost of a user id that many installs share, such as `guest`, with how many
/// installs there are: it is to be the same.
func guestCurve() async throws -> [Finding] {
    let store = try await GuestStore()
    var findings: [Finding] = []
    var first: (exposure: Double, purchase: Double)?
    for installs in [100, 1_000, 10_000] {
        try await store.grow(to: installs)
        let cost = try await store.costs()
        let base = first ?? cost
        first = base
        for (what, cost, base) in [
            ("exposure", cost.exposure, base.exposure), ("purchase", cost.purchase, base.purchase),
        ] {
            findings.append(
                Finding(
                    benchmark: "guest-curve", what: "µs per \(what) of a user id with \(installs) installs",
                    value: cost, limit: base, goal: "≤ 3 times that with 100", isReached: cost <= 3 * base))
        }
    }
    await store.close()
    return findings
}

/// The partition of one user, without a lane: messages are applied in batches, as under load.
private actor GuestStore {
    private static let (organisation, app) = (
        OrganisationID(rawValue: "bench"), AppID(rawValue: "com.example.bench")
    )
    private static let guest = AppUserID(rawValue: "guest")
    private static let start = Timestamp(clamping: 1_800_000_000_000)

    private let folder = TemporaryFolder()
    private let database: Database
    private var (exposures, purchases) = (0, 0)

    init() async throws {
        database = try await Database.create(
            at: folder.url.appendingPathComponent("store.sqlite").path,
            as: StoreIdentity(service: "paywall-experiments"), schema: [.lane, PaywallExperimentsService.schema],
            createdAt: Date())
    }

    func close() async { await database.close() }

    /// One in ten of them buys.
    func grow(to installs: Int) async throws {
        while exposures < installs {
            try await expose(min(100, installs - exposures))
            try await buy(10)
        }
    }

    /// In µs, the best of seven batches.
    func costs() async throws -> (exposure: Double, purchase: Double) {
        var best = (exposure: Double.infinity, purchase: Double.infinity)
        for _ in 0..<7 {
            let start = ContinuousClock.now
            try await expose(100)
            let middle = ContinuousClock.now
            try await buy(100)
            best.exposure = min(best.exposure, (middle - start) / .microseconds(100))
            best.purchase = min(best.purchase, (.now - middle) / .microseconds(100))
        }
        return best
    }

    /// Half of them a while ago: they come late, between others.
    private func expose(_ count: Int) async throws {
        let first = exposures
        exposures += count
        try await database.write { transaction in
            for number in first..<(first + count) {
                let time = Self.start + .seconds(number % 2 == 0 ? number * 60 : number * 30)
                let message = PaywallExposed(
                    organisation: Self.organisation, app: Self.app, user: Self.guest, namedAt: time,
                    install: InstallID(rawValue: "install-\(number)"), experiment: ExperimentID(rawValue: "one"),
                    variant: VariantKey(rawValue: "b"), epoch: 1, environment: .production, trust: .attested,
                    exposedAt: time)
                try Self.apply(TakeExposure(), message, "exposure-\(number)", at: time, in: transaction)
            }
        }
    }

    private func buy(_ count: Int) async throws {
        let (first, last) = (purchases, exposures)
        purchases += count
        try await database.write { transaction in
            for number in first..<(first + count) {
                let time = Self.start + .seconds(last * 60) + .milliseconds(number - first)
                let id = TransactionID(rawValue: "transaction-\(number)")
                let message = CustomerPurchase(
                    organisation: Self.organisation, app: Self.app, realm: .stores, environment: .production,
                    user: Self.guest, transaction: id,
                    originalTransaction: OriginalTransactionID(rawValue: id.rawValue),
                    product: ProductID(rawValue: "pro"), purchasedAt: time, chainBeganAt: time, rank: .verified,
                    linkedAt: time, isHeld: true, revision: 1)
                try Self.apply(TakePurchase(), message, "purchase-\(number)", at: time, in: transaction)
            }
        }
    }

    private static func apply<Handler: MessageHandler>(
        _ handler: Handler, _ message: Handler.Body, _ id: String, at time: Timestamp,
        in transaction: borrowing Transaction
    ) throws where Handler.Prepared == Handler.Body {
        let context = MessageContext(
            id: MessageID(rawValue: id), kind: Handler.Body.kind, bucket: message.bucket, acceptedAt: time,
            now: time + .seconds(1), author: nil)
        var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: time)
        _ = try handler.apply(message, context, in: transaction, outgoing: &outgoing)
    }
}
