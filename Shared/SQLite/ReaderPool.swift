/// The reader connections of a store. Whoever finds none idle waits in line, so that a long read holds up nobody for
/// whom another reader is free.
actor ReaderPool {
    private let readers: [Reader]
    private var idle: [Reader]
    private var waiting: [CheckedContinuation<Reader?, Never>] = []
    private var isClosed = false

    init(_ readers: [Reader]) {
        self.readers = readers
        idle = readers
    }

    func open(at path: String, _ configuration: DatabaseConfiguration) async throws {
        for reader in readers { try await reader.open(at: path, configuration) }
    }

    nonisolated func read<Value: Sendable>(
        until deadline: ContinuousClock.Instant?, _ body: @Sendable (borrowing Snapshot) throws -> Value
    ) async throws -> Value {
        guard let reader = await take() else { throw StoreRefusal.closed }
        do {
            let value = try await reader.read(until: deadline, body)
            await giveBack(reader)
            return value
        } catch {
            await giveBack(reader)
            throw error
        }
    }

    /// Waits for reads in progress, refuses those in line.
    func close() async {
        isClosed = true
        for continuation in waiting { continuation.resume(returning: nil) }
        waiting = []
        for reader in readers { await reader.close() }
    }

    private func take() async -> Reader? {
        if isClosed { return nil }
        if let reader = idle.popLast() { return reader }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func giveBack(_ reader: Reader) {
        if waiting.isEmpty {
            idle.append(reader)
        } else {
            waiting.removeFirst().resume(returning: reader)
        }
    }
}
