internal import Apps
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
        let (app, organisation) = (message.app, message.organisation)
        guard try AppStore.knows(app, of: organisation, in: transaction) else {
            return .refused(.appUnknown)
        }
        let current = try PaywallStore.current(message.entitlement, of: app, of: organisation, in: transaction)
        let standing = try CommandStore.standing(
            of: context, about: .paywall, message.entitlement.rawValue, of: app, of: organisation, in: transaction)
        if let current, standing == .repeated { return .applied(current) }
        guard standing != .overtaken else { return .refused(.overtaken) }
        if let expected = message.expectedVersion, expected != current?.version ?? 0 {
            return .refused(.versionChanged(current?.version ?? 0))
        }
        if current == nil,
            try PaywallStore.all(of: app, of: organisation, in: transaction).count >= PaywallRules.mostPaywalls
        {
            return .refused(.tooMany("paywalls of an app", PaywallRules.mostPaywalls))
        }

        let paywall = PaywallConfiguration(
            organisation: organisation, app: app, entitlement: message.entitlement, skus: message.skus,
            version: (current?.version ?? 0) + 1, changedAt: context.acceptedAt)
        let isSame = current?.skus == message.skus
        if message.isDryRun == true { return .applied(isSame ? current ?? paywall : paywall) }
        try CommandStore.note(
            context, about: .paywall, message.entitlement.rawValue, of: app, of: organisation, in: transaction)
        if isSame, let current { return .applied(current) }
        try PaywallStore.record(paywall, in: transaction)
        try outgoing.publish(PaywallConfigured(paywall: paywall))
        return .applied(paywall)
    }
}
