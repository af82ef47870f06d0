package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `link.claim.v1`: keeps the claim and moves the link where the rules say so.
package struct AcceptClaim: MessageHandler {
    package init() {}

    package func apply(
        _ message: LinkClaim, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        guard message.user.isAcceptable, message.originalTransactionID.isAcceptable else {
            return .refused(.identifierUnacceptable)
        }
        guard
            let app = try AppStore.record(
                of: message.app, of: message.organisation, at: context.acceptedAt, in: transaction)
        else { throw MessageFault.unknownApp(message.app, of: message.organisation) }
        let chain = ChainID(message.organisation, app.realm, message.originalTransactionID)
        let version = FactVersion(context.acceptedAt, context.id)
        guard try !ClaimStore.contains(version, to: chain, in: transaction) else { return .applied }

        // Whoever is named exists, whether he gets the link or not; his own partition keeps him.
        try outgoing.send(
            UserIdentify(
                organisation: message.organisation, app: message.app, user: message.user, trust: .unverified))
        let isBelieved = context.isFrom(.attestGateway, .receiptValidator)
        let claim = Claim(
            version: version, app: message.app, user: message.user, rank: isBelieved ? message.rank : .unverified,
            policy: app.linkMovePolicy)
        let isOvertaken = try ChainSettlement(chain: chain, context: context)
            .settle(adding: claim, in: transaction, outgoing: &outgoing)
        return isOvertaken ? .overtaken : .applied
    }
}
