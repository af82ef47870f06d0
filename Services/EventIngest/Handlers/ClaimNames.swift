internal import Apps
package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `event-name.claim.v1`, in the partition of the app: an edge asks before it lets events through.
package struct ClaimNames: SettlingHandler {
    private let claims: NameClaims

    package init(measures: EventMeasures) { claims = NameClaims(measures: measures) }

    package func settled(
        _ message: EventNameClaim, _ context: MessageContext, in snapshot: borrowing Snapshot
    ) throws -> Verdict<EventNameClaim.Value>? {
        guard message.names.count <= EventRules.mostEvents else { return .refused(.tooManyNames) }
        let app = App(message.organisation, message.app)
        guard try AppStore.knows(app.id, of: app.organisation, in: snapshot) else { return nil }
        let known = try NameStore.book(of: app, in: snapshot)
        let (book, value) = known.claiming(
            message.names, by: message.trust ?? .unverified, at: context.acceptedAt)
        return book == known ? .applied(value) : nil
    }

    package func apply(
        _ message: EventNameClaim, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<EventNameClaim.Value> {
        guard message.names.count <= EventRules.mostEvents else { return .refused(.tooManyNames) }
        return .applied(
            try claims.judge(
                message.names, of: App(message.organisation, message.app), by: message.trust, at: context.acceptedAt,
                in: transaction, outgoing: &outgoing))
    }
}
