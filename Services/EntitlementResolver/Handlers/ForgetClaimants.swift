internal import Erasures
package import Lane
package import Messages
package import SQLite

/// Takes an erased user out of the chains that he claimed, a few at a time: he may have claimed any number.
package struct ForgetClaimants: Alarm {
    /// How many chains at once.
    static let portion = 50

    package let name = "erasures"

    package init() {}

    package func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try ErasureStore.next(in: snapshot)?.erasure.time
    }

    package func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        guard let pending = try ErasureStore.next(in: transaction) else { return }
        let chains = try ErasureStore.chains(of: pending, limit: Self.portion, in: transaction)
        for chain in chains {
            try ErasureStore.forget(pending, in: chain, in: transaction)
            try ChainSettlement(chain: chain, cause: pending.erasure.command, now: now)
                .settleErasure(in: transaction, outgoing: &outgoing)
        }
        if chains.count < Self.portion { try ErasureStore.finish(pending, in: transaction) }
    }
}
