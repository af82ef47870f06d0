internal import Lane
internal import Messages
internal import SQLite

/// What follows from a verdict that is new, or has turned.
struct Announcement {
    let kept: KeptVerdict

    /// Publishes what the verdict tells, and takes back what the one before it told and this one does not.
    func publish(replacing before: ArtifactVerdict? = nil, outgoing: inout Outgoing) throws {
        let name = kept.name
        let revision = kept.revision == 0 ? nil : kept.revision
        if let before { try retract(before.facts, outgoing: &outgoing) }
        switch kept.verdict {
        case .verified(let facts):
            for transaction in facts.transactions {
                try outgoing.publish(
                    TransactionVerified(
                        organisation: name.organisation, app: name.app, isTest: kept.isTest, digest: name.digest,
                        transaction: transaction, revision: revision))
            }
            for renewal in facts.renewals {
                try outgoing.publish(
                    RenewalVerified(
                        organisation: name.organisation, app: name.app, isTest: kept.isTest, digest: name.digest,
                        renewal: renewal, revision: revision))
            }
            if let notification = facts.notification { try outgoing.publish(event(notification, revision)) }
        case .refused(let grounds):
            try outgoing.publish(
                ArtifactRefused(
                    organisation: name.organisation, app: name.app, digest: name.digest, artifactKind: name.kind,
                    step: grounds.step, reason: grounds.reason, revision: revision))
        }
    }

    private func retract(_ told: ArtifactFacts, outgoing: inout Outgoing) throws {
        let name = kept.name
        let reason: String
        switch kept.verdict {
        case .verified: reason = "superseded"
        case .refused(let grounds): reason = grounds.reason
        }
        let facts = kept.verdict.facts
        let stillTold = Set(facts.transactions.map(Identity.init) + facts.renewals.map(Identity.init))
        for renewal in told.renewals where !stillTold.contains(Identity(renewal)) {
            try outgoing.publish(
                RenewalRetracted(
                    organisation: name.organisation, app: name.app, isTest: kept.isTest, digest: name.digest,
                    revision: kept.revision, originalTransactionID: renewal.originalID,
                    environment: renewal.environment, reason: reason))
        }
        for transaction in told.transactions where !stillTold.contains(Identity(transaction)) {
            try outgoing.publish(
                TransactionRetracted(
                    organisation: name.organisation, app: name.app, isTest: kept.isTest, digest: name.digest,
                    revision: kept.revision, transactionID: transaction.id,
                    originalTransactionID: transaction.originalID, environment: transaction.environment,
                    reason: reason))
        }
    }

    private func event(_ notification: StoreNotification, _ revision: Int?) -> NotificationVerified {
        let name = kept.name
        var event = NotificationVerified(
            organisation: name.organisation, app: name.app, isTest: kept.isTest, digest: name.digest,
            notificationID: notification.id, type: notification.type, signedAt: notification.signedAt,
            environment: notification.environment)
        event.subtype = notification.subtype
        event.originalTransactionID = notification.originalTransactionID
        event.transactionID = notification.transactionID
        event.product = notification.product
        event.subscriptionStatus = notification.subscriptionStatus
        event.revision = revision
        return event
    }
}

/// By what those who keep evidence tell transactions apart, and the futures of subscriptions.
private struct Identity: Hashable {
    /// Nil for the future of a subscription.
    let id: TransactionID?
    let originalID: OriginalTransactionID
    let environment: StoreEnvironment

    init(_ transaction: StoreTransaction) {
        id = transaction.id
        originalID = transaction.originalID
        environment = transaction.environment
    }

    init(_ renewal: StoreRenewal) {
        id = nil
        originalID = renewal.originalID
        environment = renewal.environment
    }
}
