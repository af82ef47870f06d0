package import Lane
package import Messages
package import SQLite

/// `paywall.put.v1`, in the partition of the app: keeps the paywall and tells all partitions.
package struct PutPaywall: MessageHandler {
    package init() {}

    package func apply(
        _ message: PaywallPut, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<PaywallConfiguration> {
        if let complaint = PaywallRules.complaint(about: message) { return .refused(complaint) }
        let paywall = PaywallConfiguration(
            organisation: message.organisation, app: message.app, entitlement: message.entitlement, skus: message.skus,
            version: 0, changedAt: context.acceptedAt)
        return try paywall.put(
            expecting: message.expectedVersion, isDryRun: message.isDryRun == true, context, in: transaction,
            outgoing: &outgoing)
    }
}

extension PaywallConfiguration: Configuration {
    static let subject = CommandStore.Subject.paywall
    static let deed = AuditTrail.Deed.setPaywall
    static let most = (count: PaywallRules.mostPaywalls, of: "paywalls of an app")

    var name: String { entitlement.rawValue }
    var news: PaywallConfigured { PaywallConfigured(paywall: self) }

    func current(in transaction: borrowing Transaction) throws -> PaywallConfiguration? {
        try PaywallStore.current(entitlement, of: app, of: organisation, in: transaction)
    }

    func count(in transaction: borrowing Transaction) throws -> Int {
        try PaywallStore.all(of: app, of: organisation, in: transaction).count
    }

    func record(in transaction: borrowing Transaction) throws { try PaywallStore.record(self, in: transaction) }
}
