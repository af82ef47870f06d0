import Foundation

/// Says every few seconds how far a run has come.
final class Progress: Sendable {
    let lines = Counter()
    private let start = ContinuousClock.now

    func say(_ text: String) {
        let seconds = (ContinuousClock.now - start).components.seconds
        FileHandle.standardError.write(Data("torture: \(seconds) s: \(text)\n".utf8))
    }

    /// Until it is cancelled.
    func watch(_ what: String, of count: Int, at stage: Stage, deeds: @escaping @Sendable () -> Int) -> Task<
        Void, Never
    > {
        let before = lines.all["done"] ?? 0
        return Task {
            while !Task.isCancelled {
                // A line for whoever waits.
                try? await Task.sleep(for: .seconds(10))
                guard !Task.isCancelled else { return }
                say("\(what): \((lines.all["done"] ?? 0) - before) of \(count) lines, \(deeds()) faults")
                if let wait = stage.waits.longest { say("waiting: \(wait)") }
            }
        }
    }
}
