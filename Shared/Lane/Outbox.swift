internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite
internal import Synchronization

/// Publishes what commits have left, in order, pipelined, until the broker has confirmed it.
///
/// Rows come straight from the commit that made them; after a failure, at a start, or when too many wait in memory they
/// are read from the table. A row that cannot be delivered waits and stops no other.
final class Outbox: Sendable {
    private struct State {
        var waiting: [OutboxRow] = []
        /// Rows are in the table that are neither in `waiting` nor in flight.
        var hasMoreInTable = true
        var confirmed = NumberSet()
        var nextNumber: Int64 = 1
        var wake: CheckedContinuation<Void, Never>?
        var inFlight = 0
    }

    private static let batch = 512
    private static let batchesInFlight = 4
    /// Beyond it rows are left to the table.
    private static let mostInMemory = 16_384

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
                state.hasMoreInTable = true
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
            let isEmpty = state.withLock { $0.waiting.isEmpty && $0.inFlight == 0 && !$0.hasMoreInTable }
            if isEmpty { break }
            try? await Task.sleep(for: .milliseconds(10))
        }
        await removeConfirmed()
    }

    private func publishLoop() async {
        var backoff = Duration.milliseconds(100)
        while !Task.isCancelled {
            if state.withLock({ $0.hasMoreInTable }) {
                if await publishTable() {
                    backoff = .milliseconds(100)
                } else {
                    try? await Task.sleep(for: backoff)
                    backoff = min(backoff * 2, .seconds(5))
                }
                continue
            }
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
            await waitForRows()
        }
    }

    private func takeWaiting() -> [OutboxRow]? {
        state.withLock { state in
            guard !state.hasMoreInTable, !state.waiting.isEmpty else { return nil }
            let rows = Array(state.waiting.prefix(Self.batch))
            state.waiting.removeFirst(rows.count)
            state.inFlight += rows.count
            return rows
        }
    }

    private func waitForRows() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goOn = state.withLock { state in
                    if Task.isCancelled || !state.waiting.isEmpty || state.hasMoreInTable { return true }
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
            state.inFlight -= rows.count
            if unconfirmed > 0 { state.hasMoreInTable = true }
        }
    }

    /// Publishes every row of the table.
    ///
    /// - Returns: whether all of them were confirmed.
    private func publishTable() async -> Bool {
        // Whatever waits in memory is in the table too; what is committed from now on comes through memory again.
        let last = state.withLock { state in
            state.waiting = []
            state.hasMoreInTable = false
            return state.nextNumber - 1
        }
        var after: Int64 = 0
        var unconfirmed = 0
        do {
            try await database.write { [taken = takeConfirmed()] in try OutboxTable.remove(taken, in: $0) }
            while !Task.isCancelled {
                let rows = try await database.read { [after] in
                    try OutboxTable.rows(after: after, through: last, count: Self.batch, in: $0)
                }
                guard let end = rows.last?.number else { break }
                unconfirmed += await attempt(rows)
                after = end
            }
        } catch {
            logger.warning("outbox not readable", ["error": .string(String(reflecting: error))])
            unconfirmed += 1
        }
        if unconfirmed > 0 || Task.isCancelled { state.withLock { $0.hasMoreInTable = true } }
        return unconfirmed == 0
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
            await removeConfirmed()
        }
    }

    private func removeConfirmed() async {
        let confirmed = takeConfirmed()
        guard !confirmed.isEmpty else { return }
        do {
            try await database.write { try OutboxTable.remove(confirmed, in: $0) }
        } catch {
            giveBack(confirmed: confirmed)
        }
    }
}
