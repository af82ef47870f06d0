package import Lane
package import Messages
package import SQLite

/// `link.unpin.v1`: an operator lifts a pin; the chain stays whose it is until a claim moves it.
package struct UnpinLink: MessageHandler {
    package init() {}

    package func apply(
        _ message: LinkUnpin, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<LinkRuling> {
        let ruling = try Ruling(
            message.app, message.organisation, message.originalTransactionID, context, in: transaction)
        let before = try ChainStore.chain(ruling.chain, in: transaction).link
        if try ruling.isKnown(in: transaction) { return .applied(try ruling.answer(in: transaction)) }
        guard before?.rank == .pinned else { return .refused(.notPinned) }
        try ruling.settle(.unpin(ruling.version, through: message.app), in: transaction, &outgoing)
        try ruling.note(.unpinLink, by: message.by, why: message.why, in: transaction)
        return .applied(try ruling.answer(in: transaction))
    }
}
