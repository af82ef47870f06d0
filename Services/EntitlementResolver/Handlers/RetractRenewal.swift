package import Lane
package import Messages
package import SQLite

/// `renewal.retracted.v1`: what one artifact has told of the future of a subscription counts no more; the chain is derived
/// anew from what is left.
package struct RetractRenewal: MessageHandler {
    package init() {}

    package func apply(
        _ message: RenewalRetracted, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let chain = try AppStore.chain(
            message.originalTransactionID, ofTestApp: message.isTest, message.app, message.organisation,
            in: transaction)
        let hasChanged = try RenewalStore.record(
            nil, from: Evidence.Source(app: message.app, digest: message.digest), revision: message.revision,
            of: .init(chain: chain, environment: message.environment), bucket: context.bucket, now: context.now,
            in: transaction)
        if hasChanged {
            try ChainSettlement(chain: chain, context: context)
                .settle(changed: message.environment, in: transaction, outgoing: &outgoing)
        }
        return .applied
    }
}
