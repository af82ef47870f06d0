internal import Messages
internal import Synchronization

/// What became of every message of a run: a few bytes for each person, histograms for all else.
package final class LoadLedger: Sendable {
    struct State {
        var people: [LoadPerson] = []
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

        mutating func change(_ number: Int, _ body: (inout LoadPerson) -> Void) {
            while people.count <= number { people.append(LoadPerson()) }
            let before = people[number].open
            body(&people[number])
            open += people[number].open - before
        }
    }

    let state = Mutex(State())

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
            case .unanswered(let reason):
                state.reasons[reason, default: 0] += 1
                // It takes so long at least: without it a stall that outlasts everybody's patience would not be seen.
                state.accept.record(time - message.due)
                state.recentAccept.record(time - message.due)
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
                case .introduce(let person, let saying) where person < Self.mostPeople:
                    state.change(person) { $0.said |= 1 << UInt32(saying) }
                case .refuse(let person) where person < Self.mostPeople:
                    state.change(person) { $0.isForger = true }
                    // Seen before it was answered.
                    if state.people[person].isWrong { state.wrong += 1 }
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
                let wasWrong = person.isWrong
                person.seen = UInt8(period + 1)
                if person.isWrong, !wasWrong { state.wrong += 1 }
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
