package import Lane
package import Messages
package import SQLite

/// `link.undo.v1`: an operator gives a chain to somebody who has claimed it, and pins it there.
package struct UndoLink: MessageHandler {
    package init() {}

    package func apply(
        _ message: LinkUndo, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<LinkRuling> {
        let ruling = try Ruling(
            message.app, message.organisation, message.originalTransactionID, context, in: transaction)
        let before = try ChainStore.chain(ruling.chain, in: transaction).link
        if try ruling.isKnown(in: transaction) { return .applied(try ruling.answer(in: transaction)) }
        guard before?.user == message.holder else { return .refused(.holderChanged) }
        // Who was erased has no claims: nothing brings him back but he himself.
        guard !message.user.isErased, message.user != .nobody,
            try ClaimStore.newest(of: message.user, to: ruling.chain, in: transaction) != nil
        else { return .refused(.claimantUnknown) }
        try ruling.settle(.pin(to: message.user, ruling.version, through: message.app), in: transaction, &outgoing)
        try ruling.note(.undoLink, by: message.by, why: message.why, in: transaction)
        return .applied(try ruling.answer(in: transaction))
    }
}
