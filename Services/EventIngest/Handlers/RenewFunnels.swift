package import Lane
package import Messages
package import SQLite

/// Brings what the funnel counts of users up to date with what is known of them, once for all that came together.
package struct RenewFunnels: Alarm {
    /// How many users at once.
    private static let portion = 200

    package let name = "funnels"

    package init() {}

    /// At once: the times of the facts are those of other clocks.
    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try FunnelUserStore.hasChanges(in: snapshot) ? Timestamp(clamping: 0) : nil
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        for (customer, app) in try FunnelUserStore.changed(limit: Self.portion, in: transaction) {
            try FunnelUserStore.renew(customer, in: app, in: transaction)
        }
    }
}
