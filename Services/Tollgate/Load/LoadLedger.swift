internal import Messages
internal import Synchronization

/// What became of every message of a run: a few bytes for each person, histograms for all else.
package final class LoadLedger: Sendable {
    /// What one kind, or one disturbance, amounts to.
    package struct Line: Sendable, Hashable, Encodable {
        package var sent = 0
        package var accepted = 0
        package var rejected = 0
        package var failed = 0
        package var unsent = 0
    }

    /// One person. Periods are counted from 0, the purchase.
    private struct Person {
        /// When the message about each period was due, in tenths of a millisecond after the beginning, plus one;
        /// 0: it has not been accepted.
        var due: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
        /// How many periods have been seen to unlock something: the newest one covers those before.
        var seen: UInt8 = 0
        var isIntroduced = false
        /// The store has not signed what is said to be his.
        var isForger = false
        /// Of the last that was told of him: what, and under which id.
        var told: UInt32 = 0
        var toldBy: UInt32 = 0

        subscript(period: Int) -> UInt32 {
            get {
                switch period {
                case 0: due.0
                case 1: due.1
                case 2: due.2
                default: due.3
                }
            }
            set {
                switch period {
                case 0: due.0 = newValue
                case 1: due.1 = newValue
                case 2: due.2 = newValue
                default: due.3 = newValue
                }
            }
        }

        /// When the first of them was due.
        var oldestOpen: UInt32? {
            guard due.0 > 0 else { return nil }
            return (Int(seen)..<LoadWorld.mostPeriods).map { self[$0] }.filter { $0 > 0 }.min()
        }

        /// How many of his accepted periods have not been seen. Without his purchase nobody knows whose the renewals are.
        var open: Int {
            guard due.0 > 0 else { return 0 }
            return (Int(seen)..<LoadWorld.mostPeriods).filter { self[$0] > 0 }.count
        }
    }

    private struct State {
        var people: [Person] = []
        var lines: [Int: Line] = [:]
        var disturbances: [LoadDisturbance: Line] = [:]
        var reasons: [String: Int] = [:]
        var accept = LatencyHistogram()
        var effect = LatencyHistogram()
        var late = LatencyHistogram()
        var recentAccept = LatencyHistogram()
        var recentEffect = LatencyHistogram()
        var effects = 0
        var twice = 0
        var wrong = 0
        var inFlight = 0
        /// Accepted, and not seen.
        var open = 0
        /// Before it there is nobody for whom anything is open.
        var settled = 0

        mutating func change(_ number: Int, _ body: (inout Person) -> Void) {
            while people.count <= number { people.append(Person()) }
            let before = people[number].open
            body(&people[number])
            open += people[number].open - before
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// How many people a run can have.
    static let mostPeople = 5_000_000

    /// It is about to be sent; false: as many as may be are on their way.
    package func begin(late: Duration, most: Int) -> Bool {
        state.withLock { state in
            state.late.record(late)
            guard state.inFlight < most else { return false }
            state.inFlight += 1
            return true
        }
    }

    /// What the door said, `time` after the beginning.
    package func end(_ message: LoadMessage, _ acceptance: LoadAcceptance, at time: Duration) {
        state.withLock { state in
            if acceptance != .unsent { state.inFlight -= 1 }
            state.lines[message.kind, default: Line()].count(acceptance)
            if let disturbance = message.purpose.disturbance {
                state.disturbances[disturbance, default: Line()].count(acceptance)
            }
            switch acceptance {
            case .rejected(let reason), .failed(let reason): state.reasons[reason, default: 0] += 1
            case .unsent: state.reasons["too many on their way", default: 0] += 1
            case .accepted:
                state.accept.record(time - message.due)
                state.recentAccept.record(time - message.due)
                switch message.purpose {
                case .unlock(let person, let period) where person < Self.mostPeople:
                    state.change(person) { $0[period] = Self.tenths(message.due) + 1 }
                    // Seen before it was answered.
                    if period < Int(state.people[person].seen) {
                        state.effects += 1
                        state.effect.record(time - message.due)
                    }
                case .introduce(let person) where person < Self.mostPeople:
                    state.change(person) { $0.isIntroduced = true }
                case .refuse(let person) where person < Self.mostPeople:
                    state.change(person) { $0.isForger = true }
                default: break
                }
            }
        }
    }

    /// Somebody may use something by his purchase (period 0) or a renewal.
    ///
    /// - Parameters:
    ///   - content: of what was told.
    ///   - id: under which it was told: the same once more is no second effect.
    ///   - time: when, after the beginning; at the latest.
    package func see(_ number: Int, period: Int, content: UInt32 = 0, id: UInt32 = 0, at time: Duration) {
        guard (0..<Self.mostPeople).contains(number), (0..<LoadWorld.mostPeriods).contains(period) else { return }
        state.withLock { state in
            state.change(number) { _ in }
            var person = state.people[number]
            if person.isForger, person.due.0 == 0 { state.wrong += 1 }
            if content != 0 {
                if person.told == content, person.toldBy != id { state.twice += 1 }
                person.told = content
                person.toldBy = id
            }
            if Int(person.seen) <= period {
                for covered in Int(person.seen)...period where person[covered] > 0 {
                    state.effects += 1
                    let latency = time - .microseconds(Int64(person[covered] - 1) * 100)
                    state.effect.record(latency)
                    state.recentEffect.record(latency)
                }
                person.seen = UInt8(period + 1)
            }
            let seen = person
            state.change(number) { $0 = seen }
        }
    }

    /// That was all: what has had no effect yet has taken so long at least, and a percentile must not leave it out.
    ///
    /// - Returns: how many they are.
    package func close(at time: Duration) -> Int {
        state.withLock { state in
            for person in state.people where person.open > 0 {
                for period in Int(person.seen)..<LoadWorld.mostPeriods where person[period] > 0 {
                    state.effect.record(time - .microseconds(Int64(person[period] - 1) * 100))
                }
            }
            return state.open
        }
    }

    private static func tenths(_ duration: Duration) -> UInt32 {
        UInt32(clamping: Int64(min(duration / .microseconds(100), 4e9)))
    }
}

extension LoadLedger.Line {
    fileprivate mutating func count(_ acceptance: LoadAcceptance) {
        if acceptance != .unsent { sent += 1 }
        switch acceptance {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .failed: failed += 1
        case .unsent: unsent += 1
        }
    }
}

// MARK: - What can be read

extension LoadLedger {
    /// The state of a run at a moment.
    package struct Standing: Sendable {
        /// Everything.
        package var total = Line()
        /// By the place of the kind in the mix; -1: what is amiss on purpose.
        package var lines: [Int: Line] = [:]
        package var disturbances: [LoadDisturbance: Line] = [:]
        /// Why messages were turned away or not taken.
        package var reasons: [String: Int] = [:]
        package var accept = LatencyHistogram()
        package var effect = LatencyHistogram()
        package var late = LatencyHistogram()
        /// Accepted, and seen to have had their effect.
        package var effects = 0
        package var twice = 0
        /// Purchases that the store has not signed, and that unlock something.
        package var wrong = 0
        package var inFlight = 0
    }

    /// - Parameter recently: histograms only of what came since the last time.
    package func standing(recently: Bool = false) -> Standing {
        state.withLock { state in
            var standing = Standing(
                lines: state.lines, disturbances: state.disturbances, reasons: state.reasons, accept: state.accept,
                effect: state.effect, late: state.late, effects: state.effects, twice: state.twice, wrong: state.wrong,
                inFlight: state.inFlight)
            for line in state.lines.values {
                standing.total.sent += line.sent
                standing.total.accepted += line.accepted
                standing.total.rejected += line.rejected
                standing.total.failed += line.failed
                standing.total.unsent += line.unsent
            }
            if recently {
                standing.accept = state.recentAccept
                standing.effect = state.recentEffect
                state.recentAccept = LatencyHistogram()
                state.recentEffect = LatencyHistogram()
            }
            return standing
        }
    }

    /// How many accepted messages have had no effect yet, and when the oldest of them was due.
    package func open() -> (count: Int, oldest: Duration?) {
        state.withLock { state in
            // Who is so far behind the newest buys nothing any more.
            let past = state.people.count - Self.window
            while state.settled < past, state.people[state.settled].open == 0 { state.settled += 1 }
            // People come in their order: the oldest message is about one of the first.
            let oldest = state.people[state.settled...].prefix(Self.window).compactMap(\.oldestOpen).min()
            return (state.open, oldest.map { .microseconds(Int64($0 - 1) * 100) })
        }
    }
    private static let window = 4_096

    /// Somebody of whom more is known than what was told about him.
    package struct Witness: Sendable, Hashable {
        package let person: Int
        /// The newest period that was accepted; nil: he has not bought.
        package let period: Int?
        /// Something was accepted that has not been seen.
        package let isOpen: Bool
    }

    /// People who have to be known: those first for whom something is open, then others, evenly drawn; `most` at most.
    package func witnesses(_ most: Int) -> [Witness] {
        state.withLock { state in
            let all = state.people.indices.filter { state.people[$0].isIntroduced || state.people[$0].due.0 > 0 }
            let open = all.filter { state.people[$0].open > 0 }.prefix(most)
            let rest = max(1, most - open.count)
            let stride = max(1, (all.count + rest - 1) / rest)
            let drawn = all.enumerated().filter { $0.offset % stride == 0 && state.people[$0.element].open == 0 }
                .map(\.element).prefix(most - open.count)
            return (open + drawn).map { number in
                let person = state.people[number]
                let periods = (0..<LoadWorld.mostPeriods).filter { person[$0] > 0 }
                return Witness(
                    person: number, period: person.due.0 > 0 ? periods.max() : nil, isOpen: person.open > 0)
            }
        }
    }
}
