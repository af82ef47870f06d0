internal import Lane
internal import Messages
internal import Messaging
internal import SQLite

/// What an operator says about whose a chain is: a claim above all others, with a line in the audit trail.
struct Ruling {
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
