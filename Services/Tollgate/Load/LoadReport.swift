internal import Messages

/// What a run has come to.
struct LoadReport: Encodable, Sendable {
    /// What was done to one kind, or to one sort of disturbed messages.
    struct Row: Encodable, Sendable {
        let name: String
        let counts: LoadLedger.Line
    }

    /// How long something took, in milliseconds.
    struct Latency: Encodable, Sendable {
        let name: String
        let count: Int
        let p50: Double?
        let p90: Double?
        let p95: Double?
        let p99: Double?
        let p999: Double?
        let max: Double?

        init(_ name: String, _ histogram: LatencyHistogram) {
            func milliseconds(_ part: Double) -> Double? {
                histogram.percentile(part).map { $0 / .milliseconds(1) }
            }
            self.name = name
            count = histogram.count
            p50 = milliseconds(0.5)
            p90 = milliseconds(0.9)
            p95 = milliseconds(0.95)
            p99 = milliseconds(0.99)
            p999 = milliseconds(0.999)
            max = histogram.count > 0 ? histogram.greatest / .milliseconds(1) : nil
        }

        /// By the names that thresholds use.
        var figures: LoadThreshold.Figures {
            let values = [("p50", p50), ("p90", p90), ("p95", p95), ("p99", p99), ("p999", p999), ("max", max)]
            return Dictionary(
                uniqueKeysWithValues: values.compactMap { part, value in value.map { ("\(part)_\(name)", $0) } })
        }
    }

    /// What a service did during the run.
    struct ServiceRow: Encodable, Sendable {
        let service: ServiceName
        var applied = 0
        var refused = 0
        var repeated = 0
        var retrying = 0
        var dead = 0
    }

    /// Whether something that was asked for holds.
    struct Judgement: Encodable, Sendable {
        let threshold: String
        let value: Double?
        let holds: Bool
    }

    let run: UInt32
    let door: String
    /// Seconds in which messages were due.
    let seconds: Double
    /// Messages sent a second, in the time that it really took.
    let rate: Double
    let kinds: [Row]
    let disturbances: [Row]
    let latencies: [Latency]
    let services: [ServiceRow]
    let reasons: [String: Int]
    let notes: [String]
    /// Ctrl-C was pressed before its end: all of this is of a part.
    let isInterrupted: Bool
    let inquiry: LoadInquiry.Outcome
    /// Purchases and renewals that were accepted and had their effect.
    let applied: Int
    let refused: Int
    let dead: Int
    /// Accepted, without an effect or a dead letter, while something is still on its way: it may come yet.
    let pending: Int
    /// Accepted, and without an effect or a dead letter, though all is at rest; at least, where ``isLostAtLeast``. Absent:
    /// something is still on its way, somebody did not answer, or nothing was accepted that could be lost.
    let lost: Int?
    /// Something was accepted of which nobody could tell that it was lost: on queues what has no effect that could be asked
    /// for, and otherwise people about whom nobody was asked.
    let isLostAtLeast: Bool
    /// Effects that happened once more.
    let twice: Int
    /// Effects that must not have happened, or are not what was sent.
    let wrong: Int
    /// What `tollgate reconcile` says at the end.
    let reconciliation: String
    /// The most memory that this process took, in megabytes; absent: unknown.
    let megabytes: Double?
    let thresholds: [Judgement]

    /// Whether everything that was asked for holds.
    var isGood: Bool { thresholds.allSatisfy(\.holds) }
}

extension LoadReport {
    /// Everything that is known at the end of a run.
    struct Findings {
        var run: UInt32
        var door: LoadKind.Door
        var mix: LoadMix
        /// In which messages were due.
        var time: Duration
        /// From the first message to the last, as they were really sent.
        var sending: Duration
        var isInterrupted = false
        /// How many messages were to be sent.
        var due = 0
        var standing: LoadLedger.Standing
        var open: Int
        var notes: [String]
        var inquiry: LoadInquiry.Outcome
        var before: Reconciliation
        var after: Reconciliation
        var megabytes: Double?
    }

    init(_ findings: Findings, judgedBy thresholds: [LoadThreshold]) {
        let standing = findings.standing
        run = findings.run
        door = findings.door.rawValue
        let seconds = max(0.001, findings.time / .seconds(1))
        self.seconds = seconds
        rate = Double(standing.total.sent) / max(seconds, findings.sending / .seconds(1))
        kinds = findings.mix.kinds.enumerated().map { place, entry in
            Row(name: entry.kind.name, counts: standing.lines[place] ?? LoadLedger.Line())
        }
        disturbances = LoadDisturbance.allCases.compactMap { disturbance in
            standing.disturbances[disturbance].map { Row(name: disturbance.rawValue, counts: $0) }
        }
        latencies = [
            Latency("accept", standing.accept), Latency("effect", standing.effect), Latency("late", standing.late),
        ]
        let services = Self.services(from: findings.before, to: findings.after)
        self.services = services
        reasons = standing.reasons
        isInterrupted = findings.isInterrupted
        notes =
            findings.notes
            + (isInterrupted
                ? [
                    "interrupted: \(standing.total.sent) of \(findings.due) messages were sent, and this is what is known"
                ]
                : [])
        inquiry = findings.inquiry
        applied = standing.effects
        refused = services.reduce(0) { $0 + $1.refused }
        dead = services.reduce(0) { $0 + $1.dead }
        // At the edge poison is turned away; on a queue it has to become a dead letter.
        let poison = findings.door == .queues ? standing.disturbances[.poison]?.accepted ?? 0 : 0
        let unreadable = Self.unreadable(from: findings.before, to: findings.after)
        // What waits for an operator is not lost.
        let missing =
            max(0, findings.open + findings.inquiry.unknown - max(0, dead - unreadable)) + max(0, poison - unreadable)
        // While something is on its way, or somebody does not answer, nobody can say what is lost; and a run in which
        // nothing was accepted proves nothing.
        let isAtRest = Self.isAtRest(findings.after, asFarAs: findings.before)
        let isKnown = isAtRest && findings.inquiry.silent == 0 && standing.total.accepted > 0
        // What went through the edge is numbered, so that one message is missed by its number and by its effect.
        let lost = isKnown ? max(missing, Self.lost(from: findings.before, to: findings.after)) : nil
        self.lost = lost
        isLostAtLeast = (lost ?? 0) > 0 && (findings.door == .queues || findings.inquiry.unheard > 0)
        pending = isAtRest ? 0 : missing
        let heldByTwo = findings.after.heldByTwo?.count ?? 0
        twice = standing.twice + heldByTwo
        wrong = standing.wrong + findings.inquiry.wrong
        reconciliation = findings.after.sentence
        megabytes = findings.megabytes

        var figures: LoadThreshold.Figures = [
            "sent": Double(standing.total.sent), "accepted": Double(standing.total.accepted),
            "rejected": Double(standing.total.rejected), "failed": Double(standing.total.failed),
            "unsent": Double(standing.total.unsent), "applied": Double(applied), "refused": Double(refused),
            "pending": Double(pending), "dead": Double(dead), "rate": rate,
        ]
        figures["lost"] = lost.map(Double.init)
        if standing.total.accepted > 0 { figures.merge(["twice": Double(twice), "wrong": Double(wrong)]) { $1 } }
        for latency in latencies { figures.merge(latency.figures) { $1 } }
        self.thresholds = thresholds.map { [figures] threshold in
            Judgement(
                threshold: threshold.text, value: figures[threshold.figure], holds: threshold.holds(of: figures))
        }
    }

    /// Whether all of a run has ended; what waited in the ladder before it may wait there still.
    private static func isAtRest(_ after: Reconciliation, asFarAs before: Reconciliation) -> Bool {
        func retrying(_ reconciliation: Reconciliation) -> Int {
            reconciliation.partitions.reduce(0) { $0 + $1.retrying }
        }
        switch after.verdict {
        case .accounted, .lost, .heldByTwo: return true
        case .onTheWay:
            return after.partitions.allSatisfy { $0.waiting == 0 && $0.unpublished == 0 && $0.replaying == 0 }
                && after.services.allSatisfy { $0.condemned == 0 } && after.untold.isEmpty
                && after.waitingOrLost.isEmpty && retrying(after) <= retrying(before)
        case .cannotSay: return false
        }
    }

    /// Numbers that are lost now, and were not before.
    private static func lost(from before: Reconciliation, to after: Reconciliation) -> Int {
        after.lost.reduce(0) { sum, finding in
            let known = before.lost.filter {
                ($0.publisher, $0.routingKey, $0.service, $0.partition)
                    == (finding.publisher, finding.routingKey, finding.service, finding.partition)
            }
            return sum + known.reduce(finding.numbers) { $0.subtracting($1.numbers) }.count
        }
    }

    /// How many letters have died since that nobody can read.
    private static func unreadable(from before: Reconciliation, to after: Reconciliation) -> Int {
        func sum(_ reconciliation: Reconciliation) -> Int {
            reconciliation.partitions.flatMap(\.deadLetters).filter { $0.reason == "undecodable" }
                .reduce(0) { $0 + $1.count }
        }
        return sum(after) - sum(before)
    }

    /// Of services that have answered at the end too.
    private static func services(from before: Reconciliation, to after: Reconciliation) -> [ServiceRow] {
        let silent = Set(after.silent.map(\.service))
        return after.services.filter { !silent.contains($0.service) }.map { service in
            var row = ServiceRow(service: service.service)
            func sum(_ reconciliation: Reconciliation, _ value: (Reconciliation.Row) -> Int) -> Int {
                reconciliation.partitions.filter { $0.service == service.service }.reduce(0) { $0 + value($1) }
            }
            row.applied = sum(after, \.applied) - sum(before, \.applied)
            row.refused = sum(after, \.refused) - sum(before, \.refused)
            row.repeated = sum(after, \.repeated) - sum(before, \.repeated)
            row.retrying = sum(after, \.retrying)
            row.dead = sum(after, \.dead) - sum(before, \.dead)
            return row
        }
    }
}
