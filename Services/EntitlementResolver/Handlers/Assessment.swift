internal import Lane
internal import Messages
internal import SQLite

/// Looks at what a customer may use, tells what is new of it, and notes when time alone will change it next.
enum Assessment {
    /// How many customers an alarm assesses in one transaction.
    static let customersAtOnce = 200

    static func assess(
        _ customer: Customer, now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws {
        let holdings = try HoldingStore.unlocking(for: customer, in: transaction)
        let subscriptions = holdings.flatMap(\.subscriptions).map(\.subscription)
        let products = Set(subscriptions.flatMap(\.transactions).map(\.product))
        let environments = Set(subscriptions.map(\.environment))

        var states: [EntitlementName: EntitlementState] = [:]
        var nextChange: Timestamp?
        for (app, mapping) in try MappingStore.unlocked(by: products, of: customer.organisation, in: transaction) {
            // A mapping may come before its app; the app's own news bring us back here.
            guard let record = try AppStore.current(app, of: customer.organisation, in: transaction) else { continue }
            for environment in environments {
                let entitlements = Entitlements(of: holdings, for: record, in: environment, mapping: mapping)
                for state in entitlements.states(at: now) {
                    states[EntitlementName(app, environment, state.entitlement)] = state
                }
                nextChange = [nextChange, entitlements.nextChange(after: now)].compactMap(\.self).min()
            }
        }

        let told = try ToldEntitlementStore.told(of: customer, in: transaction)
        for change in EntitlementChanges(from: told, to: states).changes {
            try ToldEntitlementStore.record(change, of: customer, in: transaction)
            try outgoing.publish(
                EntitlementChanged(
                    organisation: customer.organisation, app: change.name.app, user: customer.user,
                    entitlement: change.state))
        }
        try ToldEntitlementStore.setNextChange(nextChange, of: customer, in: transaction)
    }
}
