import EntitlementResolver
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit

/// Applies messages to a store of entitlement-resolver by its own handlers, and what follows from them, all of it in the
/// one partition: what a lane does, without a broker.
struct ResolverDesk: Sendable {
    let organisation: OrganisationID
    let app: AppID
    let product: ProductID
    let realm: Realm

    /// Adds users, each with a subscription that is his.
    func fill(_ database: Database, with users: Range<Int>) async throws {
        for first in stride(from: users.lowerBound, to: users.upperBound, by: 2_000) {
            let portion = first..<min(first + 2_000, users.upperBound)
            try await database.write { transaction in
                for user in portion {
                    try apply(identification(of: user), "i\(user)", IdentifyUser(), in: transaction)
                    try apply(link(of: user), "l\(user)", TakeLink(), in: transaction)
                    try apply(subscription(of: user), "s\(user)", TakeSubscription(), in: transaction)
                }
                try tellPurchases(in: transaction)
            }
        }
        // What is filled in one go is measured as if it had grown, without a log as long as the store.
        _ = try await database.checkpoint()
    }

    func user(_ number: Int) -> AppUserID { AppUserID(rawValue: "user-\(number)") }

    func identification(of user: Int) -> UserIdentify {
        UserIdentify(
            organisation: organisation, app: app, user: self.user(user), platform: "ios", locale: "de_DE",
            attributes: ["plan": .text("pro"), "visits": .integer(Int64(user))], trust: .unverified)
    }

    func bought(_ id: String) -> StoreTransaction {
        StoreTransaction(
            id: TransactionID(rawValue: id), originalID: OriginalTransactionID(rawValue: id), product: product,
            productType: .autoRenewable, environment: .production, purchasedAt: .now,
            expiresAt: .now + .seconds(30 * 86_400), signedAt: .now)
    }

    private func link(of user: Int) -> LinkChanged {
        LinkChanged(
            organisation: organisation, realm: realm, originalTransactionID: .init(rawValue: "\(user)"),
            user: self.user(user), isHeld: true, rank: .verified, revision: 1, since: .now)
    }

    private func subscription(of user: Int) -> SubscriptionChanged {
        SubscriptionChanged(
            organisation: organisation, realm: realm, environment: .production,
            originalTransactionID: .init(rawValue: "\(user)"), user: self.user(user), rank: .verified, revision: 2,
            transactions: [bought("\(user)")])
    }

    /// What an alarm does twice a second.
    func tellPurchases(in transaction: borrowing Transaction) throws {
        var outgoing = Outgoing(cause: MessageID(rawValue: "purchases"), bucket: Bucket.all[0], acceptedAt: .now)
        while try transaction.exists("SELECT 1 FROM untold_purchases LIMIT 1") {
            try TellPurchases().ring(now: .now, in: transaction, outgoing: &outgoing)
        }
    }

    @discardableResult
    func apply<Handler: MessageHandler>(
        _ message: Handler.Body, _ id: String, _ handler: Handler, in transaction: borrowing Transaction
    ) throws -> [Publication] {
        let now = Timestamp.now
        let context = MessageContext(
            id: MessageID(rawValue: id), kind: Handler.Body.kind, bucket: message.bucket, acceptedAt: now, now: now,
            author: BrokerUser(of: .receiptValidator))
        var outgoing = Outgoing(cause: context.id, bucket: message.bucket, acceptedAt: now)
        let prepared = try handler.prepare(message, context)
        _ = try handler.apply(prepared, context, in: transaction, outgoing: &outgoing)
        return outgoing.publications
    }

    /// Evidence, claim, and what follows from both on either side.
    func purchase(
        by user: AppUserID, _ id: String, of bought: StoreTransaction, in transaction: borrowing Transaction
    ) throws {
        let verified = TransactionVerified(
            organisation: organisation, app: app, isTest: realm != .stores, digest: ArtifactDigest(rawValue: id),
            transaction: bought)
        let claim = LinkClaim(
            organisation: organisation, app: app, originalTransactionID: bought.originalID, user: user,
            rank: .verified)
        var followers = try apply(verified, "v\(id)", RecordTransaction(), in: transaction)
        followers += try apply(claim, "c\(id)", AcceptClaim(), in: transaction)
        for (index, follower) in followers.enumerated() {
            let (body, id) = (follower.envelope.body, "\(id)-\(index)")
            switch follower.envelope.kind {
            case UserIdentify.kind:
                try apply(try MessageJSON.decode(UserIdentify.self, from: body), id, IdentifyUser(), in: transaction)
            case LinkChanged.kind:
                try apply(try MessageJSON.decode(LinkChanged.self, from: body), id, TakeLink(), in: transaction)
            case SubscriptionChanged.kind:
                try apply(
                    try MessageJSON.decode(SubscriptionChanged.self, from: body), id, TakeSubscription(),
                    in: transaction)
            default: break
            }
        }
    }
}
