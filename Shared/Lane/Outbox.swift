internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite
internal import Synchronization

/// Publishes what commits have left, in order, pipelined, until the broker has confirmed it.
///
/// Rows come straight from the commit that made them; after a failure, at a start, or when too many wait in memory they
/// are read from the table. A row that cannot be delivered waits in the table, is tried again from time to time, and
/// stops no other.
final class Outbox: Sendable {
    private struct State {
        var waiting: [OutboxRow] = []
        /// From when on the table is read, for rows that are neither in `waiting` nor in flight; nil: there are none.
        var tableDue: ContinuousClock.Instant? = .now
        /// How long a row waits that could not be delivered.
        var backoff = Outbox.leastBackoff
        var confirmed = NumberSet()
        var nextNumber: Int64 = 1
        var wake: CheckedContinuation<Void, Never>?
        /// Publications that have no answer yet, and passes over the table.
        var atWork = 0
    }

    private static let batch = 512
    private static let batchesInFlight = 4
    /// Beyond it rows are left to the table.
    private static let mostInMemory = 16_384
    private static let leastBackoff = Duration.milliseconds(100)
    private static let mostBackoff = Duration.seconds(5)

    private let state = Mutex(State())
    private let database: Database
    private let publisher: NumberedPublisher
    private let logger: Logger

    init(database: Database, publisher: NumberedPublisher, logger: Logger) async throws {
        self.database = database
        self.publisher = publisher
        self.logger = logger
        let greatest = try await database.read { try OutboxTable.greatestNumber(in: $0) }
        state.withLock { $0.nextNumber = greatest + 1 }
    }

    /// Stores `outgoing` in the transaction that it follows from.
    ///
    /// - Returns: its rows with their numbers, for ``committed(_:)``.
    func store(_ outgoing: Outgoing, in transaction: borrowing Transaction) throws -> [OutboxRow] {
        guard !outgoing.rows.isEmpty else { return [] }
        var number = state.withLock { state in
            defer { state.nextNumber += Int64(outgoing.rows.count) }
            return state.nextNumber
        }
        var rows = outgoing.rows
        for index in rows.indices {
            rows[index].number = number
            number += 1
            try OutboxTable.insert(rows[index], in: transaction)
        }
        return rows
    }

    /// The transaction that stored `rows` is on disk: they go out.
    func committed(_ rows: [OutboxRow]) {
        guard !rows.isEmpty else { return }
        let wake = state.withLock { state in
            if state.waiting.count + rows.count > Self.mostInMemory {
                state.tableDue = .now
            } else {
                state.waiting += rows
            }
            defer { state.wake = nil }
            return state.wake
        }
        wake?.resume()
    }

    /// What the broker has confirmed, to be taken out in the next transaction.
    func takeConfirmed() -> NumberSet {
        state.withLock { state in
            defer { state.confirmed = NumberSet() }
            return state.confirmed
        }
    }

    /// The transaction that should have taken them out was rolled back.
    func giveBack(confirmed: NumberSet) {
        state.withLock { $0.confirmed = $0.confirmed.union(confirmed) }
    }

    /// Publishes until cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.publishLoop() }
            group.addTask { await self.sweepLoop() }
            await group.waitForAll()
        }
    }

    /// Waits until everything has been confirmed and taken out of the table, at most until `deadline`.
    func drain(until deadline: ContinuousClock.Instant) async {
        while ContinuousClock.now < deadline {
            let isEmpty = state.withLock { $0.waiting.isEmpty && $0.atWork == 0 && $0.tableDue == nil }
            if isEmpty { break }
            try? await Task.sleep(for: .milliseconds(10))
        }
        try? await removeConfirmed()
    }

    private func publishLoop() async {
        while !Task.isCancelled {
            if state.withLock({ $0.tableDue.map { $0 <= .now } ?? false }) { await publishTable() }
            await publishWaiting()
            await waitForWork()
        }
    }

    private func publishWaiting() async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            while !Task.isCancelled, let rows = takeWaiting() {
                if running == Self.batchesInFlight {
                    await group.next()
                    running -= 1
                }
                group.addTask { await self.publish(rows) }
                running += 1
            }
        }
    }

    private func takeWaiting() -> [OutboxRow]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let rows = Array(state.waiting.prefix(Self.batch))
            state.waiting.removeFirst(rows.count)
            state.atWork += 1
            return rows
        }
    }

    /// Waits for rows from a commit, or until the table is due.
    private func waitForWork() async {
        guard let due = state.withLock({ $0.tableDue }) else { return await waitForRows() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(until: due, clock: .continuous) }
            group.addTask { await self.waitForRows() }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForRows() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goOn = state.withLock { state in
                    if Task.isCancelled || !state.waiting.isEmpty || state.tableDue.map({ $0 <= .now }) == true {
                        return true
                    }
                    state.wake = continuation
                    return false
                }
                if goOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.wake = nil }
                return state.wake
            }?.resume()
        }
    }

    /// Publishes rows that came from a commit; what fails is left to the table.
    private func publish(_ rows: [OutboxRow]) async {
        let unconfirmed = await attempt(rows)
        state.withLock { state in
            state.atWork -= 1
            if unconfirmed > 0 { state.tableDue = state.tableDue ?? .now + state.backoff }
        }
    }

    /// Publishes every row of the table, and between them what has come meanwhile.
    private func publishTable() async {
        let started = ContinuousClock.now
        // Whatever waits in memory is in the table too; what is committed from now on comes through memory again.
        let last = state.withLock { state in
            state.waiting = []
            state.tableDue = nil
            state.atWork += 1
            return state.nextNumber - 1
        }
        var after: Int64 = 0
        var unconfirmed = 0
        do {
            try await removeConfirmed()
            while !Task.isCancelled {
                let rows = try await database.read { [after] in
                    try OutboxTable.rows(after: after, through: last, count: Self.batch, in: $0)
                }
                guard let end = rows.last?.number else { break }
                unconfirmed += await attempt(rows)
                after = end
                await publishWaiting()
            }
        } catch {
            if !Task.isCancelled {
                logger.warning("outbox not readable", ["error": .string(String(reflecting: error))])
            }
            unconfirmed += 1
        }
        let now = ContinuousClock.now
        state.withLock { state in
            state.atWork -= 1
            guard unconfirmed > 0 || Task.isCancelled else {
                state.backoff = Self.leastBackoff
                return
            }
            // A pass over very many rows takes at most a fifth of the time.
            state.tableDue = state.tableDue ?? now + max(state.backoff, (now - started) * 4)
            state.backoff = min(state.backoff * 2, Self.mostBackoff)
        }
    }

    /// - Returns: how many were not confirmed.
    private func attempt(_ rows: [OutboxRow]) async -> Int {
        let outcomes = await publisher.publish(rows.map(\.publication), deadline: .now + .seconds(10))
        var confirmed = NumberSet()
        for (row, outcome) in zip(rows, outcomes) where outcome == .confirmed { confirmed.insert(Int(row.number)) }
        let failed = rows.count - confirmed.count
        if failed > 0, let example = zip(rows, outcomes).first(where: { $1 != .confirmed }) {
            logger.warning(
                "outbox rows not confirmed",
                [
                    "count": .integer(failed), "outcome": "\(example.1)", "kind": .string(example.0.kind.rawValue),
                    "routing_key": .string(example.0.route.routingKey),
                ])
        }
        state.withLock { $0.confirmed = $0.confirmed.union(confirmed) }
        return failed
    }

    /// Takes confirmed rows out when no batch does it on its way.
    private func sweepLoop() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            try? await removeConfirmed()
        }
    }

    private func removeConfirmed() async throws {
        let confirmed = takeConfirmed()
        guard !confirmed.isEmpty else { return }
        do {
            try await database.write { try OutboxTable.remove(confirmed, in: $0) }
        } catch {
            giveBack(confirmed: confirmed)
            throw error
        }
    }
}
