package import Lane
package import Messages
package import SQLite

/// Looks, a few at a time, at everyone whose entitlements a change of configuration may have changed.
package struct ReassessHolders: Alarm {
    package let name = "reassessments"

    package init() {}

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ReassessmentStore.next(in: snapshot)?.askedAt
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let work = try ReassessmentStore.next(in: transaction)?.work else { return }
        let holders = try ReassessmentStore.holders(for: work, limit: Assessment.customersAtOnce, in: transaction)
        for holder in holders {
            try Assessment.assess(
                Customer(work.organisation, holder.user), now: now, in: transaction, outgoing: &outgoing)
        }
        try ReassessmentStore.advance(
            work, to: holders.count < Assessment.customersAtOnce ? nil : holders.last, in: transaction)
    }
}
