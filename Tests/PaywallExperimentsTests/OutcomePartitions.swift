import Erasures
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport

@testable import PaywallExperiments

extension Letter {
    /// Configuration is taken by every partition.
    fileprivate var isForAll: Bool { Catalogue.byKind[kind]?.isConfiguration == true }

    /// Whether paywall-experiments publishes it for itself; the others are for others.
    fileprivate var isForItself: Bool { [PaywallExposed.kind, OutcomeCredit.kind].contains(kind) }
}

/// The service's partitions without lanes and broker: messages are applied one by one, in the order that a test wants.
///
/// Without an inbox: what comes twice is applied twice.
final class OutcomePartitions: Sendable {
    private let folder = TemporaryFolder()
    let databases: [Database]

    init(_ count: Int) async throws {
        var databases: [Database] = []
        for number in 0..<count {
            databases.append(
                try await Database.create(
                    at: folder.url.appendingPathComponent("\(number).sqlite").path,
                    as: StoreIdentity(service: "paywall-experiments"),
                    schema: [.lane, PaywallExperimentsService.schema],
                    createdAt: Date(timeIntervalSince1970: 0)))
        }
        self.databases = databases
    }

    private func database(of bucket: Bucket) -> Database { databases[bucket.number % databases.count] }

    /// Applies a letter where it belongs.
    ///
    /// - Returns: what follows from it.
    func deliver(_ letter: Letter, now: Timestamp) async throws -> [Letter] {
        let takers = letter.isForAll ? databases : [database(of: letter.bucket)]
        var followers: [Letter] = []
        for taker in takers {
            followers += try await taker.write { try Self.apply(letter, now: now, in: $0).followers }
        }
        return followers
    }

    /// Applies letters one after the other, and each with all that follows from it.
    func settle(_ letters: [Letter], now: Timestamp) async throws {
        var waiting = letters
        while !waiting.isEmpty { waiting += try await deliver(waiting.removeFirst(), now: now) }
    }

    /// Applies all letters and what follows, round by round, many in one transaction, as lanes do under load.
    func settleAll(_ letters: [Letter], now: Timestamp) async throws {
        var waiting = letters
        while !waiting.isEmpty { waiting = try await deliverAll(waiting, now: now) }
    }

    /// Applies all letters and what follows in an order that `random` chooses, some of them again and again.
    func shuffle(_ letters: [Letter], now: Timestamp, _ random: inout SeededGenerator) async throws {
        var waiting = letters
        while !waiting.isEmpty {
            waiting.shuffle(using: &random)
            let batch = Array(waiting.prefix(Int.random(in: 1...waiting.count, using: &random)))
            // Three in ten come once more at least.
            let again = batch.filter { _ in Int.random(in: 0..<10, using: &random) < 3 }
            waiting = Array(waiting.dropFirst(batch.count)) + again
            waiting += try await deliverAll(batch, now: now)
        }
    }

    /// In the order of the letters, but for those of different partitions.
    private func deliverAll(_ letters: [Letter], now: Timestamp) async throws -> [Letter] {
        var followers: [Letter] = []
        for (number, database) in databases.enumerated() {
            let batch = letters.filter { $0.bucket.number % databases.count == number || $0.isForAll }
            guard !batch.isEmpty else { continue }
            followers += try await database.write { transaction in
                try batch.flatMap { try Self.apply($0, now: now, in: transaction).followers }
            }
        }
        return followers
    }

    /// Rings the alarms until nothing is due any more.
    func ringAlarms(now: Timestamp) async throws {
        for database in databases {
            while let due = try await database.read({ try ForgetUsers().next(in: $0) }), due <= now {
                try await database.write { transaction in
                    var outgoing = Outgoing(
                        cause: MessageID(rawValue: "alarm"), bucket: Bucket.all[0], acceptedAt: now)
                    try ForgetUsers().ring(now: now, in: transaction, outgoing: &outgoing)
                }
            }
        }
    }

    /// What all partitions together have counted.
    func tally(
        _ experiment: ExperimentID, of app: AppID, _ organisation: OrganisationID, at time: Timestamp, window: Duration
    ) async throws -> ExperimentTally {
        var sum = ExperimentTally()
        for (number, database) in databases.enumerated() {
            let query = ExperimentTallyGet(
                partition: number, organisation: organisation, app: app, experiment: experiment, at: time,
                windowMilliseconds: window.wholeMilliseconds)
            let verdict = try await database.read { try TallyExperiment().answer(query, in: $0) }
            guard case .applied(let tally) = verdict else { throw TestFailure("no tally") }
            sum = sum + tally
        }
        return sum
    }

    static func apply(
        _ letter: Letter, now: Timestamp, in transaction: borrowing Transaction
    ) throws -> (followers: [Letter], refusal: Refusal?) {
        switch letter.kind {
        case ImpressionRecord.kind: try apply(letter, with: RecordImpression(), now: now, in: transaction)
        case OutcomeCredit.kind: try apply(letter, with: CreditOutcome(), now: now, in: transaction)
        case PaywallExposed.kind: try apply(letter, with: TakeExposure(), now: now, in: transaction)
        case CustomerPurchase.kind: try apply(letter, with: TakePurchase(), now: now, in: transaction)
        case CustomerRefund.kind: try apply(letter, with: TakeRefund(), now: now, in: transaction)
        case UserErased.kind: try apply(letter, with: FollowErasure(), now: now, in: transaction)
        case PaywallResolve.kind: try apply(letter, with: ResolvePaywall(), now: now, in: transaction)
        case ExperimentChanged.kind: try apply(letter, with: ProjectExperiment(), now: now, in: transaction)
        default: throw TestFailure("nobody takes \(letter.kind)")
        }
    }

    private static func apply<Handler: MessageHandler>(
        _ letter: Letter, with handler: Handler, now: Timestamp, in transaction: borrowing Transaction
    ) throws -> (followers: [Letter], refusal: Refusal?) {
        let message = try MessageJSON.decode(Handler.Body.self, from: letter.body)
        let context = MessageContext(
            id: letter.id, kind: letter.kind, bucket: message.bucket, acceptedAt: letter.acceptedAt, now: now,
            author: letter.author)
        var outgoing = Outgoing(cause: letter.id, bucket: message.bucket, acceptedAt: letter.acceptedAt)
        let prepared = try handler.prepare(message, context)
        let verdict = try transaction.savepoint { try handler.apply(prepared, context, in: $0, outgoing: &outgoing) }
        var refusal: Refusal?
        if case .refused(let reason) = verdict { refusal = reason }
        let letters = outgoing.publications.compactMap { Letter($0, from: .paywallExperiments) }
        return (letters.filter(\.isForItself), refusal)
    }
}
