internal import Erasures
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

        let customer = Customer(message.organisation, message.user)
        let erasure = try ErasureStore.erasure(of: customer, covering: context.acceptedAt, in: transaction)
        if let erasure {
            // Others may have lost the link to him since: what he did counts, and who he was is not kept.
            try ErasureStore.note(erasure, in: chain, in: transaction)
        } else {
            // Whoever is named exists, whether he gets the link or not; his own partition keeps him.
            try outgoing.send(
                UserIdentify(
                    organisation: message.organisation, app: message.app, user: message.user, trust: .unverified))
        }
        var claim = Claim(
            version: version, app: message.app, user: erasure.map { .erased(by: $0.command) } ?? message.user,
            rank: message.rank(from: context), policy: app.linkMovePolicy, grounds: message.grounds(from: context))
        if let grounds = claim.grounds,
            try EvidenceStore.isRetracted(.init(app: message.app, digest: grounds.digest), from: chain, in: transaction)
        {
            claim.rank = grounds.rankWithout
        }
        let isOvertaken = try ChainSettlement(chain: chain, context: context)
            .settle(adding: claim, in: transaction, outgoing: &outgoing)
        return isOvertaken ? .overtaken : .applied
    }
}

extension LinkClaim {
    /// As far as its author is believed; an operator's word is no claim.
    fileprivate func rank(from context: MessageContext) -> ClaimRank {
        context.isFrom(.attestGateway, .receiptValidator) ? min(rank, .accountToken) : .unverified
    }

    fileprivate func grounds(from context: MessageContext) -> Claim.Grounds? {
        guard let digest, context.isFrom(.receiptValidator) else { return nil }
        let rank = rank(from: context)
        return Claim.Grounds(digest: digest, rank: rank, rankWithout: min(rankWithout ?? .unverified, rank))
    }
}
