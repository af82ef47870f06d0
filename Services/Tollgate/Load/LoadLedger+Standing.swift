internal import Synchronization

extension LoadLedger {
    /// What one kind, or one disturbance, amounts to.
    package struct Line: Sendable, Hashable, Encodable {
        package var sent = 0
        package var accepted = 0
        package var rejected = 0
        package var failed = 0
        package var unsent = 0
    }

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
        /// Which of the things that he has said of himself were accepted, a bit each.
        package let said: UInt32
    }

    /// People of whom something is known that has to be so, `most` at most: those first for whom something is open, then
    /// those of whom something has not been seen, then others; evenly drawn where there are too many.
    ///
    /// - Returns: them, and how many of whom something has not been seen are not among them.
    package func witnesses(_ most: Int) -> (asked: [Witness], unheard: Int) {
        state.withLock { state in
            let people = state.people
            let all = people.indices.filter { people[$0].said != 0 || people[$0].isForger || people[$0].due.0 > 0 }
            func isHeard(_ person: LoadPerson) -> Bool { person.seen > 0 && person.said == 0 }
            let open = all.filter { people[$0].open > 0 }
            let unheard = all.filter { people[$0].open == 0 && !isHeard(people[$0]) }
            let others = all.filter { people[$0].open == 0 && isHeard(people[$0]) }
            var asked: [Int] = []
            for group in [open, unheard, others] { asked += Self.drawn(most - asked.count, from: group) }
            let witnesses = asked.map { number in
                let person = people[number]
                let periods = (0..<LoadWorld.mostPeriods).filter { person[$0] > 0 }
                return Witness(
                    person: number, period: person.due.0 > 0 ? periods.max() : nil, isOpen: person.open > 0,
                    said: person.said)
            }
            return (witnesses, max(0, open.count + unheard.count - witnesses.count))
        }
    }

    private static func drawn(_ most: Int, from people: [Int]) -> [Int] {
        guard most > 0, people.count > most else { return most > 0 ? people : [] }
        return (0..<most).map { people[$0 * people.count / most] }
    }
}

extension LoadLedger.Line {
    mutating func count(_ acceptance: LoadAcceptance) {
        if acceptance != .unsent { sent += 1 }
        switch acceptance {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .failed, .unanswered: failed += 1
        case .unsent: unsent += 1
        }
    }
}
