package import Erasures
package import Lane
package import Messages
package import SQLite

/// Takes an erased user out of the chains that he claimed.
package struct ForgetClaimants: ErasureAlarm {
    /// How many chains at once.
    static let portion = 50

    package init() {}

    package func forget(
        _ pending: ErasureStore.Pending, now: Timestamp, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Bool {
        let chains = try ErasureStore.chains(of: pending, limit: Self.portion, in: transaction)
        for chain in chains {
            try ErasureStore.forget(pending, in: chain, in: transaction)
            try ChainSettlement(chain: chain, cause: pending.erasure.command, now: now)
                .settleErasure(in: transaction, outgoing: &outgoing)
        }
        return chains.count < Self.portion
    }
}
