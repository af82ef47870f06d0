internal import Synchronization

/// A number that only grows.
public final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    /// Adds `amount`, which is not negative.
    public func add(_ amount: Int = 1) { number.wrappingAdd(amount, ordering: .relaxed) }

    /// What it has grown to.
    public var value: Int { number.load(ordering: .relaxed) }
}

/// A number that goes up and down.
public final class Gauge: Sendable {
    private let number = Atomic<Int>(0)

    /// Replaces the value.
    public func set(_ value: Int) { number.store(value, ordering: .relaxed) }
    /// Changes the value by `amount`.
    public func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }

    /// What it stands at.
    public var value: Int { number.load(ordering: .relaxed) }
}

/// How often durations fell below each bound; seconds in the text, as Prometheus wants it.
public final class Histogram: Sendable {
    /// 1 ms to 10 s.
    public static let bounds: [Duration] = [
        .milliseconds(1), .milliseconds(2), .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50),
        .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10),
    ]

    private struct State {
        var counts = [Int](repeating: 0, count: Histogram.bounds.count + 1)
        var sum = Duration.zero
    }
    private let state = Mutex(State())

    /// Counts one duration.
    public func record(_ duration: Duration) {
        let index = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count
        state.withLock {
            $0.counts[index] += 1
            $0.sum += duration
        }
    }

    /// Counts below each bound (the last: above all of them), and the sum of all durations.
    public var value: (counts: [Int], sum: Duration) { state.withLock { ($0.counts, $0.sum) } }
}
