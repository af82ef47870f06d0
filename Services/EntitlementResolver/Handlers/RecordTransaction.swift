package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `transaction.verified.v1`: keeps what an artifact tells of a transaction, and derives the chain anew.
package struct RecordTransaction: MessageHandler {
    package init() {}

    package func apply(
        _ message: TransactionVerified, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let told = message.transaction
        let chain = try AppStore.chain(
            told.originalID, ofTestApp: message.isTest, message.app, message.organisation, in: transaction)
        let source = Evidence.Source(app: message.app, digest: message.digest)
        let hasChanged = try EvidenceStore.record(
            Evidence(told, from: source), from: source, revision: message.revision ?? 0,
            of: .init(chain: chain, environment: told.environment, id: told.id), bucket: context.bucket,
            now: context.now, in: transaction)
        try ChainSettlement(chain: chain, context: context)
            .settle(changed: hasChanged ? told.environment : nil, by: source, in: transaction, outgoing: &outgoing)
        return .applied
    }
}

extension AppStore {
    /// The chain of which a fact about `app` is.
    ///
    /// - Throws: a fault while the app is not known here, or not as what the validator takes it for.
    static func chain(
        _ original: OriginalTransactionID, ofTestApp isTest: Bool, _ app: AppID, _ organisation: OrganisationID,
        in transaction: borrowing Transaction
    ) throws -> ChainID {
        guard let record = try current(app, of: organisation, in: transaction) else {
            throw MessageFault.unknownApp(app, of: organisation)
        }
        guard isTest == record.isTest else {
            // An app is a test app from its first day or never: one of us and the validator is wrong about it.
            throw MessageFault.forNow("realm_disputed", "\(app) is said to be a test app by one side only")
        }
        return ChainID(organisation, record.realm, original)
    }
}
