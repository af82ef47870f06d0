package import Lane
package import Messages
package import SQLite

/// `renewal.verified.v1`: keeps what an artifact tells of the future of a subscription, and derives the chain anew.
package struct RecordRenewal: MessageHandler {
    package init() {}

    package func apply(
        _ message: RenewalVerified, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let told = message.renewal
        let chain = try AppStore.chain(
            told.originalID, ofTestApp: message.isTest, message.app, message.organisation, in: transaction)
        let hasChanged = try RenewalStore.record(
            told, from: Evidence.Source(app: message.app, digest: message.digest), revision: message.revision ?? 0,
            of: .init(chain: chain, environment: told.environment), bucket: context.bucket, now: context.now,
            in: transaction)
        if hasChanged {
            try ChainSettlement(chain: chain, context: context)
                .settle(changed: told.environment, in: transaction, outgoing: &outgoing)
        }
        return .applied
    }
}
