package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `transaction.verified.v1`: keeps the evidence that counts, and derives the chain anew.
package struct RecordTransaction: MessageHandler {
    package init() {}

    package func apply(
        _ message: TransactionVerified, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        guard let app = try AppStore.current(message.app, of: message.organisation, in: transaction) else {
            throw MessageFault.unknownApp(message.app, of: message.organisation)
        }
        guard message.isTest == app.isTest else {
            // An app is a test app from its first day or never: one of us and the validator is wrong about it.
            throw MessageFault.forNow("realm_disputed", "\(message.app) is said to be a test app by one side only")
        }
        let chain = ChainID(message.organisation, app.realm, message.transaction.originalID)
        let hasChanged = try EvidenceStore.record(
            Evidence(message.transaction, digest: message.digest), of: chain, through: message.app,
            bucket: context.bucket, in: transaction)
        if hasChanged {
            try ChainSettlement(chain: chain, context: context)
                .settle(changed: message.transaction.environment, in: transaction, outgoing: &outgoing)
        }
        return .applied
    }
}
