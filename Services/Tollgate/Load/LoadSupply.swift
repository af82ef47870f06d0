internal import Synchronization

/// Messages that are ready before they are due: signing takes longer than sending, and must not make anything late.
actor LoadSupply {
    /// What is ready, in the portions in which it was made.
    private struct Shelf {
        var portions: [ArraySlice<LoadMessage>] = []
        var count = 0
        var hasEnded = false

        mutating func take(dueAt time: Duration) -> [LoadMessage] {
            var taken: [LoadMessage] = []
            while let first = portions.first {
                let due = first.prefix { $0.due <= time }
                guard !due.isEmpty else { break }
                taken += due
                portions[0] = first.dropFirst(due.count)
                if portions[0].isEmpty { portions.removeFirst() }
            }
            count -= taken.count
            return taken
        }
    }

    /// How many are ready at most: some 30 MB.
    private static let most = 8_192
    private static let portion = 64

    private nonisolated let shelf = Mutex(Shelf())
    private var maker: LoadMaker

    init(_ maker: LoadMaker) { self.maker = maker }

    /// Makes as many as are kept ready, before the beginning.
    func fill() throws { while try make() {} }

    /// Makes more as they are taken, until all are made, or none is wanted any more.
    func run(until stop: LoadStop) async throws {
        while !stop.isAsked, !shelf.withLock({ $0.hasEnded }) {
            // Nobody says that something was taken: whoever takes must not be held up.
            if try !make() { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    /// When the next one is due; nil: none is ready.
    nonisolated var nextDue: Duration? { shelf.withLock { $0.portions.first?.first?.due } }

    /// Whether all have been made and taken.
    nonisolated var isOver: Bool { shelf.withLock { $0.hasEnded && $0.count == 0 } }

    /// What is due at `time`, in its order.
    nonisolated func take(dueAt time: Duration) -> [LoadMessage] { shelf.withLock { $0.take(dueAt: time) } }

    /// Makes a portion; false: there are enough.
    private func make() throws -> Bool {
        guard shelf.withLock({ !$0.hasEnded && $0.count < Self.most }) else { return false }
        var portion: [LoadMessage] = []
        while portion.count < Self.portion, let message = try maker.next() { portion.append(message) }
        let made = portion
        shelf.withLock { shelf in
            if !made.isEmpty { shelf.portions.append(made[...]) }
            shelf.count += made.count
            shelf.hasEnded = made.count < Self.portion
        }
        return true
    }
}
