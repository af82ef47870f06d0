internal import Lane
internal import Messages
internal import SQLite

/// Forgets challenges that are spent and would be refused for their age.
struct ForgetChallenges: Alarm {
    let name = "challenges"

    func next(in snapshot: borrowing Snapshot) throws -> Timestamp? {
        try SpentChallengeStore.nextForgotten(in: snapshot)
    }

    func ring(now: Timestamp, in transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        try SpentChallengeStore.forget(before: now, limit: 500, in: transaction)
    }
}
