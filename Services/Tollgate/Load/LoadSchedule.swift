internal import ServiceKit

/// When each message of a run is to be sent: known before it begins, whatever the system does (an open model), so that
/// a system that stalls is measured as late, and not as asked less.
package struct LoadSchedule: Sendable, Equatable {
    /// How many messages a second.
    package enum Rate: Sendable, Equatable {
        /// As many all the time.
        case steady(Double)
        /// From one rate to another, evenly.
        case ramp(from: Double, to: Double)
        /// One after the other, each as long as any other.
        case steps([Double])

        private static let least = 0.01
        private static let most = 1_000_000.0

        /// `200`, `100..1000`, or `100,200,400`; nil for anything else, and for rates that are none.
        package init?(_ text: String) {
            func rate(_ text: Substring) -> Double? {
                Double(text).flatMap { ($0 >= Self.least && $0 <= Self.most) ? $0 : nil }
            }
            if let dots = text.firstRange(of: "..") {
                guard let from = rate(text[..<dots.lowerBound]), let to = rate(text[dots.upperBound...]) else {
                    return nil
                }
                self = .ramp(from: from, to: to)
                return
            }
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(rate)
            let rates = parts.compactMap(\.self)
            guard rates.count == parts.count, let first = rates.first, rates.count <= 1_000 else { return nil }
            self = rates.count == 1 ? .steady(first) : .steps(rates)
        }
    }

    /// A stretch in which the rate changes evenly, or not at all.
    private struct Stretch: Equatable {
        let start: Double
        let length: Double
        let from: Double
        let to: Double
        /// How many messages come before it.
        let before: Double

        var count: Double { (from + to) / 2 * length }

        /// When the message is due that has `number` others of this stretch before it: the root of
        /// `from · t + (to − from) / 2·length · t² = number`, in the form that does not cancel out.
        func time(of number: Double) -> Double {
            let slope = (to - from) / length
            let root = max(0, from * from + 2 * slope * number).squareRoot()
            return start + 2 * number / (from + root)
        }
    }

    /// How long messages are sent.
    package let duration: Duration
    /// How many there are.
    package let count: Int
    private let stretches: [Stretch]

    /// - Parameters:
    ///   - duration: more than none.
    ///   - most: so many messages at most; what the rate would ask for beyond them is left out.
    package init(_ rate: Rate, for duration: Duration, most: Int = .max) {
        let seconds = duration / .seconds(1)
        let rates: [(from: Double, to: Double)] =
            switch rate {
            case .steady(let rate): [(rate, rate)]
            case .ramp(let from, let to): [(from, to)]
            case .steps(let rates): rates.map { ($0, $0) }
            }
        var stretches: [Stretch] = []
        for (place, rate) in rates.enumerated() {
            let length = seconds / Double(rates.count)
            let before = stretches.last.map { $0.before + $0.count } ?? 0
            stretches.append(
                Stretch(start: Double(place) * length, length: length, from: rate.from, to: rate.to, before: before))
        }
        let total = stretches.last.map { $0.before + $0.count } ?? 0
        self.stretches = stretches
        // A hundredth of a message is what rounding has taken.
        count = min(max(1, Int(min(total + 0.01, 1e15))), most)
        self.duration = count < Int(min(total, 1e15)) ? Self.time(of: count, in: stretches) : duration
    }

    /// When the message `number` is due, after the beginning; the first is number 0.
    package func time(of number: Int) -> Duration { Self.time(of: number, in: stretches) }

    private static func time(of number: Int, in stretches: [Stretch]) -> Duration {
        let place = Double(number)
        let stretch = stretches.last { $0.before <= place } ?? stretches.first
        return .seconds(stretch?.time(of: place - (stretch?.before ?? 0)) ?? 0)
    }
}
