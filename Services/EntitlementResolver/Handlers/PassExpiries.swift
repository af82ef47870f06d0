package import Lane
package import Messages
package import SQLite

/// Tells what time alone has changed: an entitlement has run out, or one that was bought ahead has begun.
package struct PassExpiries: Alarm {
    package let name = "expiries"

    package init() {}

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ToldEntitlementStore.nextChange(in: snapshot)
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        for customer in try ToldEntitlementStore.due(by: now, limit: Assessment.customersAtOnce, in: transaction) {
            try Assessment.assess(customer, now: now, in: transaction, outgoing: &outgoing)
        }
    }
}
