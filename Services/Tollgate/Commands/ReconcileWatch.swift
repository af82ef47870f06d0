internal import Messages
internal import Messaging

/// `tollgate reconcile --watch`: one look after the other, a line each.
struct ReconcileWatch: Sendable {
    let interval: Duration
    let count: Int
    let isJSON: Bool
    let write: @Sendable (String) throws -> Void

    /// Looks until it has looked often enough, or is stopped.
    func run(_ observer: Observer) async throws -> Output {
        var suspicion = Suspicion()
        var looks = 0
        var everLost = false
        while !Task.isCancelled {
            let started = ContinuousClock.now
            let look = suspicion.weigh(try await Reconcile.settled(observer), at: started)
            let isLost = suspicion.isOlder(than: Reconcile.staleness, at: .now)
            let result = look.verdict == .lost && !isLost ? look.doubting(allBut: []) : look
            everLost = everLost || result.verdict == .lost
            looks += 1
            try write(isJSON ? String(decoding: MessageJSON.encode(result), as: UTF8.self) + "\n" : Self.line(result))
            guard looks < count else { break }
            // The operator has said how often.
            try await Task.sleep(until: started + interval, clock: .continuous)
        }
        return Output(jsonText: "", status: everLost ? .failed : .success)
    }

    private static func line(_ result: Reconciliation) -> String {
        let missing = result.lost.reduce(0) { $0 + $1.numbers.count }
        let names = result.lost.map { " \($0.service).\($0.partition) \($0.routingKey)".onOneLine }
        return "\(result.at.rfc3339) unaccounted \(missing); \(result.sentence)\(names.prefix(5).joined())\n"
    }
}
