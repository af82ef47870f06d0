internal import Apps
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
        let (app, organisation) = (message.app, message.organisation)
        guard try AppStore.knows(app, of: organisation, in: transaction) else {
            return .refused(.appUnknown)
        }
        let current = try PlacementStore.current(message.placement, of: app, of: organisation, in: transaction)
        let standing = try CommandStore.standing(
            of: context, about: .placement, message.placement.rawValue, of: app, of: organisation, in: transaction)
        if let current, standing == .repeated { return .applied(current) }
        guard standing != .overtaken else { return .refused(.overtaken) }
        if let expected = message.expectedVersion, expected != current?.version ?? 0 {
            return .refused(.versionChanged(current?.version ?? 0))
        }
        if current == nil,
            try PlacementStore.all(of: app, of: organisation, in: transaction).count >= PaywallRules.mostPlacements
        {
            return .refused(.tooMany("placements of an app", PaywallRules.mostPlacements))
        }

        let placement = Placement(
            organisation: organisation, app: app, placement: message.placement, entitlement: message.entitlement,
            version: (current?.version ?? 0) + 1, changedAt: context.acceptedAt)
        let isSame = current?.entitlement == message.entitlement
        if message.isDryRun == true { return .applied(isSame ? current ?? placement : placement) }
        try CommandStore.note(
            context, about: .placement, message.placement.rawValue, of: app, of: organisation, in: transaction)
        if isSame, let current { return .applied(current) }
        try PlacementStore.record(placement, in: transaction)
        try outgoing.publish(PlacementConfigured(placement: placement))
        return .applied(placement)
    }
}
