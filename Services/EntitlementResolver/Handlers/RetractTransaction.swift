package import Lane
package import Messages
package import SQLite

/// `transaction.retracted.v1`: what one artifact has told of a transaction counts no more; the chain is derived anew from
/// what is left.
package struct RetractTransaction: MessageHandler {
    package init() {}

    package func apply(
        _ message: TransactionRetracted, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let chain = try AppStore.chain(
            message.originalTransactionID, ofTestApp: message.isTest, message.app, message.organisation,
            in: transaction)
        let source = Evidence.Source(app: message.app, digest: message.digest)
        let hasChanged = try EvidenceStore.record(
            nil, from: source, revision: message.revision,
            of: .init(chain: chain, environment: message.environment, id: message.transactionID),
            bucket: context.bucket, now: context.now, in: transaction)
        try EvidenceStore.note(
            message.reason, revision: message.revision, from: source, of: chain, message.environment,
            message.transactionID, in: transaction)
        try ChainSettlement(chain: chain, context: context)
            .settle(changed: hasChanged ? message.environment : nil, by: source, in: transaction, outgoing: &outgoing)
        return .applied
    }
}
