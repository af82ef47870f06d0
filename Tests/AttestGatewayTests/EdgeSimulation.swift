import AttestGateway
import Messages
import Synchronization
import TestSupport

/// Several edges on one clock that nobody waits for, with reports that arrive late.
final class EdgeSimulation {
    /// An edge, from its birth to its death.
    private final class Node {
        let limits: CallerLimits
        /// Within a second: edges do not report all at once.
        let phase: Int64

        init(_ limits: CallerLimits, phase: Int64) {
            self.limits = limits
            self.phase = phase
        }
    }

    private let rates: CallerLimits.Rates
    private let lag: ClosedRange<Int64>
    private let clock = Clock()
    private var random: SeededGenerator
    private var nodes: [Int: Node] = [:]
    private var underWay: [(due: Int64, report: EdgeCounts)] = []
    private var born = 0

    final class Clock: Sendable {
        let time = Mutex<Int64>(0)
    }

    /// Milliseconds since it began.
    var time: Int64 { clock.time.withLock { $0 } }
    /// Bytes of the longest report so far.
    private(set) var longestReport = 0
    private(set) var reports = 0

    /// - Parameters:
    ///   - lag: milliseconds from a report to its arrival.
    init(edges: Int, rates: CallerLimits.Rates, lag: ClosedRange<Int64> = 200...1_000, seed: UInt64) {
        self.rates = rates
        self.lag = lag
        random = SeededGenerator(seed: seed)
        for edge in 0..<edges { bear(edge) }
        run(for: 3_000)
    }

    func bear(_ edge: Int) {
        born += 1
        let birth = time
        nodes[edge] = Node(
            CallerLimits(rates, edge: "edge-\(edge)-\(born)") { [clock] in clock.time.withLock { $0 } - birth },
            phase: Int64.random(in: 0..<1_000, using: &random))
        tell(edge)
    }

    private func tell(_ edge: Int) {
        guard let report = nodes[edge]?.limits.report() else { return }
        reports += 1
        longestReport = max(longestReport, (try? MessageJSON.encode(report))?.count ?? .max)
        underWay.append((time + Int64.random(in: lag, using: &random), report))
    }

    func kill(_ edge: Int) { nodes[edge] = nil }

    /// Lets time pass; `each` is done every 50 ms.
    func run(for duration: Int64, _ each: (Int64) -> Void = { _ in }) {
        let end = time + duration
        while time < end {
            clock.time.withLock { $0 += 50 }
            let now = time
            let arrived = underWay.filter { $0.due <= now }
            if !arrived.isEmpty {
                underWay.removeAll { $0.due <= now }
                for (_, report) in arrived {
                    for (edge, node) in nodes where node.limits.hear(report).hasToTell { tell(edge) }
                }
            }
            for (edge, node) in nodes where now % 1_000 / 50 == node.phase / 50 { tell(edge) }
            each(now)
        }
    }

    func admits(_ write: CallerLimits.Write, at edge: Int) -> Bool {
        nodes[edge].map { $0.limits.admit(write) == nil } ?? false
    }

    func admits(user: AppUserID, at edge: Int, of app: AppRecord = .tunes) -> Bool {
        nodes[edge].map { $0.limits.admit(user: user, of: app) == nil } ?? false
    }

    func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
    func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
}

/// How often something was let through, looked at over every five minutes.
struct AdmissionLog {
    private var times: [Int64] = []

    var count: Int { times.count }
    mutating func note(_ time: Int64) { times.append(time) }

    /// The least and the most within any five minutes from `start` to `end`, as parts of five times `limit`.
    func parts(of limit: Int, from start: Int64, to end: Int64) -> ClosedRange<Double> {
        var least = Double.infinity
        var most = 0.0
        var first = 0
        var last = 0
        for begin in stride(from: start, through: end - 300_000, by: 250) {
            while first < times.count, times[first] < begin { first += 1 }
            last = max(last, first)
            while last < times.count, times[last] < begin + 300_000 { last += 1 }
            let part = Double(last - first) / Double(5 * limit)
            least = min(least, part)
            most = max(most, part)
        }
        return min(least, most)...most
    }
}
