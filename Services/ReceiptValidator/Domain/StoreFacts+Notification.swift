internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

extension ArtifactFacts {
    /// A notification with what it carries, each of which was signed by itself, in the notification's own environment; nil
    /// if it has no name or no type.
    init?(_ notification: SignedNotification, in environment: StoreEnvironment) {
        let payload = notification.payload
        // Names of any make: what callers and stores may be called is bounded, and so is this.
        guard TransactionID(rawValue: payload.notificationUUID).isAcceptable,
            TransactionID(rawValue: payload.type.rawValue).isAcceptable
        else { return nil }
        let transaction = notification.transaction.flatMap { StoreTransaction($0, in: environment) }
        let renewal = notification.renewal.flatMap { StoreRenewal($0, in: environment) }
        var told = StoreNotification(
            id: payload.notificationUUID, type: payload.type.rawValue, signedAt: Timestamp(payload.signedDate),
            environment: environment)
        told.subtype = payload.subtype?.rawValue
        told.originalTransactionID = transaction?.originalID ?? renewal?.originalID
        told.transactionID = transaction?.id
        told.product = transaction?.product ?? renewal?.product
        told.subscriptionStatus = payload.subject?.status
        self.init(
            transactions: transaction.map { [$0] } ?? [], renewals: renewal.map { [$0] } ?? [], notification: told)
    }
}
