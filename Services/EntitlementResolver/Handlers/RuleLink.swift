package import Lane
package import Messages
internal import Messaging
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

/// What both have in common.
private struct Ruling {
    let chain: ChainID
    let version: FactVersion
    let context: MessageContext

    /// - Throws: a fault while the app is not known here.
    init(
        _ app: AppID, _ organisation: OrganisationID, _ original: OriginalTransactionID, _ context: MessageContext,
        in transaction: borrowing Transaction
    ) throws {
        guard let record = try AppStore.current(app, of: organisation, in: transaction) else {
            throw MessageFault.unknownApp(app, of: organisation)
        }
        chain = ChainID(organisation, record.realm, original)
        version = FactVersion(context.acceptedAt, context.id)
        self.context = context
    }

    /// Whether it has been applied before.
    func isKnown(in transaction: borrowing Transaction) throws -> Bool {
        try ClaimStore.contains(version, to: chain, in: transaction)
    }

    func settle(_ claim: Claim, in transaction: borrowing Transaction, _ outgoing: inout Outgoing) throws {
        _ = try ChainSettlement(chain: chain, context: context)
            .settle(adding: claim, in: transaction, outgoing: &outgoing)
    }

    /// In the audit trail, under the transaction: it has to name no user.
    func note(_ deed: AuditTrail.Deed, by name: String, why: String?, in transaction: borrowing Transaction) throws {
        try AuditTrail.note(
            deed, by: name, why: ([chain.original.rawValue] + [why].compactMap(\.self)).joined(separator: ": "),
            count: 1, run: context.id, bucket: context.bucket, at: context.now, in: transaction)
    }

    func answer(in transaction: borrowing Transaction) throws -> LinkRuling {
        let now = try ChainStore.chain(chain, in: transaction)
        return LinkRuling(rank: now.link?.rank, since: now.link?.since, revision: now.revision)
    }
}

extension ChainStore.Chain {
    /// The link as it is told to operators and edges.
    var view: ChainHistoryView.Link? {
        link.map { .init(user: $0.user, rank: $0.rank, since: $0.since, revision: revision) }
    }
}
