package import Messages

/// What a verified artifact tells for one app: what is published of it, and kept with the verdict so that it can be taken
/// back.
package struct ArtifactFacts: Hashable, Sendable {
    /// No two about the same transaction.
    package var transactions: [StoreTransaction] = []
    package var renewals: [StoreRenewal] = []
    /// What the artifact itself is, if it is a notification.
    package var notification: StoreNotification?

    package init(
        transactions: [StoreTransaction] = [], renewals: [StoreRenewal] = [], notification: StoreNotification? = nil
    ) {
        self.transactions = transactions
        self.renewals = renewals
        self.notification = notification
    }

    /// How many.
    package var count: Int { transactions.count + renewals.count + (notification == nil ? 0 : 1) }
}

/// A store's notification without what it carries.
package struct StoreNotification: Codable, Hashable, Sendable {
    /// `notificationUUID`.
    package var id: String
    package var type: String
    package var subtype: String?
    package var signedAt: Timestamp
    package var environment: StoreEnvironment
    package var originalTransactionID: OriginalTransactionID?
    package var transactionID: TransactionID?
    package var product: ProductID?
    package var subscriptionStatus: Int?

    package init(id: String, type: String, signedAt: Timestamp, environment: StoreEnvironment) {
        self.id = id
        self.type = type
        self.signedAt = signedAt
        self.environment = environment
    }
}

extension ArtifactFacts: Codable {
    private enum CodingKeys: String, CodingKey {
        case transactions, renewals, notification
    }

    /// What is empty may be left out.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transactions = try container.decodeIfPresent([StoreTransaction].self, forKey: .transactions) ?? []
        renewals = try container.decodeIfPresent([StoreRenewal].self, forKey: .renewals) ?? []
        notification = try container.decodeIfPresent(StoreNotification.self, forKey: .notification)
    }

    /// Leaves out what is empty.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !transactions.isEmpty { try container.encode(transactions, forKey: .transactions) }
        if !renewals.isEmpty { try container.encode(renewals, forKey: .renewals) }
        try container.encodeIfPresent(notification, forKey: .notification)
    }
}
