package import Lane
package import Messages
package import SQLite

/// `placement.put.v1`, in the partition of the app: keeps the placement and tells all partitions.
package struct PutPlacement: MessageHandler {
    package init() {}

    package func apply(
        _ message: PlacementPut, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Placement> {
        if let complaint = PaywallRules.complaint(about: message) { return .refused(complaint) }
        let placement = Placement(
            organisation: message.organisation, app: message.app, placement: message.placement,
            entitlement: message.entitlement, version: 0, changedAt: context.acceptedAt)
        return try placement.put(
            expecting: message.expectedVersion, isDryRun: message.isDryRun == true, context, in: transaction,
            outgoing: &outgoing)
    }
}

extension Placement: Configuration {
    static let subject = CommandStore.Subject.placement
    static let deed = AuditTrail.Deed.setPlacement
    static let most = (count: PaywallRules.mostPlacements, of: "placements of an app")

    var name: String { placement.rawValue }
    var news: PlacementConfigured { PlacementConfigured(placement: self) }

    func current(in transaction: borrowing Transaction) throws -> Placement? {
        try PlacementStore.current(placement, of: app, of: organisation, in: transaction)
    }

    func count(in transaction: borrowing Transaction) throws -> Int {
        try PlacementStore.all(of: app, of: organisation, in: transaction).count
    }

    func record(in transaction: borrowing Transaction) throws { try PlacementStore.record(self, in: transaction) }
}
