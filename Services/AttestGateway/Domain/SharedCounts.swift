internal import Messages

/// What has been counted of callers and users, here and at the other edges, and what is to be told of it.
///
/// A value: times are handed in, as milliseconds of a clock that never goes back.
struct SharedCounts: Sendable {
    /// A limit, whom it counts, and how much he may.
    struct Count {
        let limit: CallerLimits.Limit
        let hash: CallerHash
        let rate: Int
    }

    private var writes: [CallerLimits.Limit: RateTable] = [:]
    private var users = DistinctUsers()
    private var census = EdgeCensus()
    /// Edges that have just come, and are told of the last minute with the next report.
    private var newcomers: [String] = []
    /// Edges that have told this one of the minute before it came.
    private var teachers: Set<String> = []
    /// Nil: this edge has not said anything yet.
    private var lastReport: Int64?
    /// When it was last taken for granted that what was said before has arrived.
    private var lastTurn: Int64 = 0
    /// Whether this edge's own first message has come back to it: then the others have it too.
    private var isKnown = false

    /// Milliseconds after which an edge that has nothing to tell says that it is alive.
    private static let silence: Int64 = 1_900
    /// Milliseconds that a report may be on its way, but for what clocks lose.
    private static let turn: Int64 = 900
    private static let tables: [CallerLimits.Limit] = CallerLimits.Limit.allCases.filter { $0 != .users }

    init() {
        for limit in Self.tables { writes[limit] = RateTable() }
    }

    /// How many edges there are, this one included, as far as it knows.
    mutating func edges(at time: Int64) -> Int { 1 + census.count(at: time) }

    /// Why nothing of this may be done now; nil: all of it is counted.
    mutating func admit(_ counts: [Count], at time: Int64) -> CallerLimits.Excess? {
        let edges = edges(at: time)
        for count in counts {
            let wait = writes[count.limit]?.wait(for: count.hash, limit: count.rate, edges: edges, at: time)
            if let wait { return CallerLimits.Excess(limit: count.limit, seconds: wait) }
        }
        for count in counts {
            writes[count.limit]?.count(count.hash, limit: count.rate, edges: edges, at: time)
        }
        return nil
    }

    /// Why `app` may not name yet another user now; nil: this one is counted.
    mutating func name(_ user: CallerHash, of app: CallerHash, limit: Int, at time: Int64) -> CallerLimits.Excess? {
        let edges = edges(at: time)
        return users.name(user, of: app, limit: limit, edges: edges, at: time)
            .map { CallerLimits.Excess(limit: .users, seconds: $0) }
    }

    // MARK: For the other edges

    /// What there is to tell them; nil: nothing.
    mutating func report(of edge: String, at time: Int64) -> EdgeCounts? {
        let isTurn = time - lastTurn >= Self.turn
        if isTurn { lastTurn = time }
        var rest = EdgeCounts.most
        var written: [CallerLimits.Limit: [CallerHash: Int]] = [:]
        if isTurn { users.takeTurn() }
        for limit in Self.tables {
            if isTurn { writes[limit]?.takeTurn() }
            let told = writes[limit]?.takeReport(most: rest) ?? [:]
            rest -= told.count
            if !told.isEmpty { written[limit] = told }
        }
        let named = users.takeReport(most: EdgeCounts.most)
        // What was said before the others could hear it is said again.
        let isDue = !isKnown || lastReport.map { time - $0 >= Self.silence } ?? true
        guard isDue || !written.isEmpty || !named.isEmpty || !newcomers.isEmpty else { return nil }
        lastReport = time
        var report = EdgeCounts(edge: edge, isNew: isKnown ? nil : true, admitted: .init(written, named))
        if !newcomers.isEmpty {
            report.newcomers = newcomers
            newcomers = []
            report.minute = lastMinute(without: written, named, at: time)
        }
        return report
    }

    private func lastMinute(
        without written: [CallerLimits.Limit: [CallerHash: Int]], _ named: [CallerHash: [CallerHash]], at time: Int64
    ) -> EdgeCounts.Admitted? {
        var rest = EdgeCounts.most
        var minute: [CallerLimits.Limit: [CallerHash: Int]] = [:]
        for limit in Self.tables {
            let counts = writes[limit]?.lastMinute(without: written[limit] ?? [:], most: rest, at: time) ?? [:]
            rest -= counts.count
            if !counts.isEmpty { minute[limit] = counts }
        }
        return .init(minute, users.lastMinute(without: named, most: EdgeCounts.most))
    }

    /// Takes in what an edge tells, `edge` itself included.
    mutating func hear(_ report: EdgeCounts, at edge: String, _ time: Int64) -> CallerLimits.Consequence {
        var consequence = CallerLimits.Consequence()
        guard report.edge != edge else {
            isKnown = true
            return consequence
        }
        census.hear(report.edge, at: time)
        if report.isNew == true, !newcomers.contains(report.edge), newcomers.count < 100 {
            newcomers.append(report.edge)
            consequence.hasToTell = true
        }
        consequence.isTaught = report.newcomers?.contains(edge) == true && teachers.insert(report.edge).inserted
        if consequence.isTaught, let minute = report.minute { take(minute, isLastMinute: true, at: time) }
        if let admitted = report.admitted { take(admitted, isLastMinute: false, at: time) }
        return consequence
    }

    private mutating func take(_ admitted: EdgeCounts.Admitted, isLastMinute: Bool, at time: Int64) {
        for (name, counts) in admitted.writes ?? [:] {
            guard let limit = CallerLimits.Limit(rawValue: name) else { continue }
            for (caller, number) in counts {
                guard let hash = CallerHash(hexadecimal: caller) else { continue }
                writes[limit]?.hear(of: hash, number, isLastMinute: isLastMinute, at: time)
            }
        }
        for (app, named) in admitted.users ?? [:] {
            guard let hash = CallerHash(hexadecimal: app) else { continue }
            users.hear(
                named.compactMap(CallerHash.init(hexadecimal:)), of: hash, isLastMinute: isLastMinute, at: time)
        }
    }
}

extension EdgeCounts.Admitted {
    /// Nil if there is nothing.
    fileprivate init?(_ writes: [CallerLimits.Limit: [CallerHash: Int]], _ users: [CallerHash: [CallerHash]]) {
        guard !writes.isEmpty || !users.isEmpty else { return nil }
        self.init()
        if !writes.isEmpty {
            self.writes = Dictionary(
                uniqueKeysWithValues: writes.map { limit, counts in
                    (limit.rawValue, Dictionary(uniqueKeysWithValues: counts.map { ($0.hexadecimal, $1) }))
                })
        }
        if !users.isEmpty {
            self.users = Dictionary(
                uniqueKeysWithValues: users.map { ($0.hexadecimal, $1.map(\.hexadecimal)) })
        }
    }
}
