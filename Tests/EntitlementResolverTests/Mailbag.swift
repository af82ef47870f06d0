import Erasures
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import TestSupport

@testable import EntitlementResolver

/// A partition without lane and broker: applies letters, and hands back what follows from them.
final class ResolverStore: Sendable {
    private let folder = TemporaryFolder()
    let database: Database

    init() async throws {
        database = try await Database.create(
            at: folder.url.appendingPathComponent("store.sqlite").path,
            as: StoreIdentity(service: "entitlement-resolver"), schema: [.lane, EntitlementResolverService.schema],
            createdAt: Date(timeIntervalSince1970: 0))
    }

    /// Applies one letter, and what follows from it, and so on, in order. Returns all that followed.
    @discardableResult
    func settle(_ letter: Letter, now: Timestamp = .noon) async throws -> [Letter] {
        try await database.write { transaction in
            var waiting = [letter]
            var followed: [Letter] = []
            while !waiting.isEmpty {
                let next = try Self.apply(waiting.removeFirst(), now: now, in: transaction).followers
                waiting += next
                followed += next
            }
            return followed
        }
    }

    /// Rings the alarms until nothing is due any more.
    @discardableResult
    func ringAlarms(now: Timestamp) async throws -> [Letter] {
        var told: [Letter] = []
        for alarm in [PassExpiries(), ReassessHolders(), ForgetClaimants(), TellPurchases()] as [any Alarm] {
            while let due = try await database.read({ try alarm.next(in: $0) }), due <= now {
                told += try await database.write { transaction in
                    var outgoing = Outgoing(
                        cause: MessageID(rawValue: alarm.name), bucket: Bucket.all[0], acceptedAt: now)
                    try alarm.ring(now: now, in: transaction, outgoing: &outgoing)
                    return outgoing.publications.compactMap { Letter($0, from: .entitlementResolver) }
                }
            }
        }
        return told
    }

    func user(
        _ user: AppUserID, app: AppID = .tunes, organisation: OrganisationID = .demo,
        environment: StoreEnvironment = .production, at time: Timestamp = .noon
    ) async throws -> Verdict<UserView> {
        try await database.read { snapshot in
            try ShowUser(now: { time }).answer(
                UserGet(organisation: organisation, app: app, user: user, environment: environment), in: snapshot)
        }
    }

    func view(
        _ user: AppUserID, app: AppID = .tunes, organisation: OrganisationID = .demo,
        environment: StoreEnvironment = .production, at time: Timestamp = .noon
    ) async throws -> UserView? {
        let verdict = try await self.user(
            user, app: app, organisation: organisation, environment: environment, at: time)
        guard case .applied(let view) = verdict else { return nil }
        return view
    }

    /// Applies one letter in a savepoint of its own, as the lane does.
    ///
    /// - Returns: what it published, and whether the answer was no.
    static func apply(
        _ letter: Letter, now: Timestamp = .noon, in transaction: borrowing Transaction
    ) throws -> (followers: [Letter], refusal: Refusal?) {
        switch letter.kind {
        case AppChanged.kind: try apply(letter, with: ProjectApp(), now: now, in: transaction)
        case MappingSet.kind: try apply(letter, with: SetMapping(), now: now, in: transaction)
        case MappingChanged.kind: try apply(letter, with: ProjectMapping(), now: now, in: transaction)
        case TransactionVerified.kind: try apply(letter, with: RecordTransaction(), now: now, in: transaction)
        case TransactionRetracted.kind: try apply(letter, with: RetractTransaction(), now: now, in: transaction)
        case RenewalVerified.kind: try apply(letter, with: RecordRenewal(), now: now, in: transaction)
        case RenewalRetracted.kind: try apply(letter, with: RetractRenewal(), now: now, in: transaction)
        case LinkClaim.kind: try apply(letter, with: AcceptClaim(), now: now, in: transaction)
        case UserIdentify.kind: try apply(letter, with: IdentifyUser(), now: now, in: transaction)
        case LinkChanged.kind: try apply(letter, with: TakeLink(), now: now, in: transaction)
        case SubscriptionChanged.kind: try apply(letter, with: TakeSubscription(), now: now, in: transaction)
        case LinkUndo.kind: try apply(letter, with: UndoLink(), now: now, in: transaction)
        case LinkUnpin.kind: try apply(letter, with: UnpinLink(), now: now, in: transaction)
        case LinksResend.kind: try apply(letter, with: ResendLinks(), now: now, in: transaction)
        case UserErase.kind: try apply(letter, with: EraseUser(), now: now, in: transaction)
        case UserErased.kind: try apply(letter, with: FollowErasure(), now: now, in: transaction)
        default: ([], nil)
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
        let verdict = try transaction.savepoint { step in
            try handler.apply(prepared, context, in: step, outgoing: &outgoing)
        }
        var refusal: Refusal?
        if case .refused(let reason) = verdict { refusal = reason }
        return (outgoing.publications.compactMap { Letter($0, from: .entitlementResolver) }, refusal)
    }
}

extension Letter {
    func decoded<Body: Message>(as type: Body.Type) -> Body? {
        kind == type.kind ? try? MessageJSON.decode(type, from: body) : nil
    }
}

extension Collection<Letter> {
    func all<Body: Message>(_ type: Body.Type) -> [Body] { compactMap { $0.decoded(as: type) } }
}
