package import Messages
internal import Synchronization

/// What callers may do in a minute, over all edges together; those without a token choose their own ids, so their address
/// counts too.
///
/// Each edge begins with an equal share of what is left to a caller, and goes on with what the others tell
/// (``EdgeCounts``). Over any five minutes a limit holds within a quarter, however a caller's writes are spread over the
/// edges, as long as they hear of each other within a second and are fewer than the limit.
package final class CallerLimits: Sendable {
    /// Each a minute.
    package struct Rates: Sendable, Equatable {
        /// Writes with a device token, of one organisation.
        package var organisation: Int
        /// Writes of one device with a token: one noisy phone does not silence its organisation.
        package var attestedDevice: Int
        /// Writes of one device without a token.
        package var device: Int
        /// Writes from one client address without a token.
        package var address: Int
        /// Different users that one app names without a token.
        package var users: Int

        package init(
            organisation: Int = 240, attestedDevice: Int = 60, device: Int = 30, address: Int = 300, users: Int = 1000
        ) {
            self.organisation = organisation
            self.attestedDevice = attestedDevice
            self.device = device
            self.address = address
            self.users = users
        }
    }

    /// Which of them; the text is its name between edges and in metrics.
    package enum Limit: String, Sendable, CaseIterable {
        case organisation, device, address, users
        case attestedDevice = "attested_device"
    }

    /// What was exceeded, and for how long.
    package struct Excess: Sendable, Equatable {
        package let limit: Limit
        /// Whole seconds, at least 1, until it may be tried again.
        package let seconds: Int

        package init(limit: Limit, seconds: Int) {
            self.limit = limit
            self.seconds = seconds
        }
    }

    /// One write, as far as limits are concerned.
    package struct Write: Sendable {
        package let caller: Caller
        package let app: AppID
        package let user: AppUserID
        /// Stands for the device; without it, user and address together do.
        package let install: String?
        /// As ``ClientAddresses`` tells it.
        package let address: String

        package init(caller: Caller, app: AppID, user: AppUserID, install: String?, address: String) {
            self.caller = caller
            self.app = app
            self.user = user
            self.install = install
            self.address = address
        }
    }

    /// A limit, whom it counts, and how much he may.
    private struct Count {
        let limit: Limit
        let hash: CallerHash
        let rate: Int
    }

    private struct State {
        var writes: [Limit: RateTable] = [:]
        var users = DistinctUsers()
        var census = EdgeCensus()
        /// Edges that have just come, and are told of the last minute with the next report.
        var newcomers: [String] = []
        /// Edges that have told this one of the minute before it came.
        var teachers: Set<String> = []
        /// Nil: this edge has not said anything yet.
        var lastReport: Int64?
        /// When it was last taken for granted that what was said before has arrived.
        var lastTurn: Int64 = 0
        /// Whether this edge's own first message has come back to it: then the others have it too.
        var isKnown = false
    }

    /// Milliseconds after which an edge that has nothing to tell says that it is alive.
    private static let silence: Int64 = 1_900
    /// Milliseconds that a report may be on its way, but for what clocks lose.
    private static let turn: Int64 = 900
    private static let tables: [Limit] = Limit.allCases.filter { $0 != .users }

    /// This run of this edge.
    package let edge: String
    private let rates: Rates
    private let state: Mutex<State>
    private let milliseconds: @Sendable () -> Int64

    /// - Parameters:
    ///   - edge: names this run among the edges.
    ///   - milliseconds: a clock that never goes back, from 0.
    package init(_ rates: Rates, edge: String, milliseconds: @escaping @Sendable () -> Int64) {
        self.rates = rates
        self.edge = edge
        self.milliseconds = milliseconds
        var state = State()
        for limit in Self.tables { state.writes[limit] = RateTable() }
        self.state = Mutex(state)
    }

    // MARK: For callers

    /// Why `write` may not be done now; nil: it is counted and may.
    ///
    /// - Parameter own: limits of its app, where they are not the installation's.
    package func admit(_ write: Write, own: AppLimits? = nil) -> Excess? {
        admit(counts(of: write, own))
    }

    /// Why nobody at this address may do anything now; nil: it is counted and may be done.
    package func admit(address: String) -> Excess? {
        admit([Count(limit: .address, hash: CallerHash(Limit.address.rawValue, address), rate: rates.address)])
    }

    private func admit(_ counts: [Count]) -> Excess? {
        let time = milliseconds()
        return state.withLock { state in
            let edges = 1 + state.census.count(at: time)
            for count in counts {
                let wait = state.writes[count.limit]?.wait(
                    for: count.hash, limit: count.rate, edges: edges, at: time)
                if let wait { return Excess(limit: count.limit, seconds: wait) }
            }
            for count in counts {
                state.writes[count.limit]?.count(count.hash, limit: count.rate, edges: edges, at: time)
            }
            return nil
        }
    }

    /// Why `app` may not name yet another user now; nil: this one is counted and may be named.
    package func admit(user: AppUserID, of app: AppRecord) -> Excess? {
        let appHash = CallerHash(Limit.users.rawValue, app.organisation.rawValue, app.app.rawValue)
        let userHash = CallerHash(user.rawValue)
        let limit = app.limits?.usersPerMinute ?? rates.users
        let time = milliseconds()
        return state.withLock { state in
            let edges = 1 + state.census.count(at: time)
            return state.users.name(userHash, of: appHash, limit: limit, edges: edges, at: time)
        }.map { Excess(limit: .users, seconds: $0) }
    }

    /// An app with a limit of its own has a counter of its own.
    private func counts(of write: Write, _ own: AppLimits?) -> [Count] {
        func count(_ limit: Limit, _ rate: Int, _ parts: String...) -> Count {
            Count(limit: limit, hash: CallerHash([limit.rawValue] + parts), rate: rate)
        }
        if case .attested(let device) = write.caller {
            return [
                count(
                    .attestedDevice, rates.attestedDevice, device.organisation.rawValue, device.app.rawValue,
                    device.keyID.rawValue),
                own?.attestedPerMinute.map {
                    count(.organisation, $0, device.organisation.rawValue, device.app.rawValue)
                } ?? count(.organisation, rates.organisation, device.organisation.rawValue),
            ]
        }
        let device = own?.devicePerMinute ?? rates.device
        return [
            own?.addressPerMinute.map { count(.address, $0, write.address, write.app.rawValue) }
                ?? count(.address, rates.address, write.address),
            write.install.map { count(.device, device, write.app.rawValue, $0) }
                ?? count(.device, device, write.app.rawValue, write.user.rawValue, write.address),
        ]
    }

    // MARK: For the other edges

    /// How many edges there are, this one included, as far as it knows.
    package var edges: Int {
        let time = milliseconds()
        return state.withLock { 1 + $0.census.count(at: time) }
    }

    /// What there is to tell them; nil: nothing. Once a second, and at once where ``hear(_:)`` says so.
    package func report() -> EdgeCounts? {
        let time = milliseconds()
        return state.withLock { state in
            let isTurn = time - state.lastTurn >= Self.turn
            if isTurn { state.lastTurn = time }
            var rest = EdgeCounts.most
            var writes: [Limit: [CallerHash: Int]] = [:]
            if isTurn { state.users.takeTurn() }
            for limit in Self.tables {
                if isTurn { state.writes[limit]?.takeTurn() }
                let told = state.writes[limit]?.takeReport(most: rest) ?? [:]
                rest -= told.count
                if !told.isEmpty { writes[limit] = told }
            }
            let users = state.users.takeReport(most: EdgeCounts.most)
            // What was said before the others could hear it is said again.
            let isDue = !state.isKnown || state.lastReport.map { time - $0 >= Self.silence } ?? true
            guard isDue || !writes.isEmpty || !users.isEmpty || !state.newcomers.isEmpty else { return nil }
            state.lastReport = time
            var report = EdgeCounts(edge: edge, isNew: state.isKnown ? nil : true, admitted: .init(writes, users))
            if !state.newcomers.isEmpty {
                report.newcomers = state.newcomers
                state.newcomers = []
                report.minute = Self.lastMinute(state, without: writes, users, at: time)
            }
            return report
        }
    }

    private static func lastMinute(
        _ state: State, without writes: [Limit: [CallerHash: Int]], _ users: [CallerHash: [CallerHash]],
        at time: Int64
    ) -> EdgeCounts.Admitted? {
        var rest = EdgeCounts.most
        var minute: [Limit: [CallerHash: Int]] = [:]
        for limit in Self.tables {
            let counts = state.writes[limit]?.lastMinute(without: writes[limit] ?? [:], most: rest, at: time) ?? [:]
            rest -= counts.count
            if !counts.isEmpty { minute[limit] = counts }
        }
        return .init(minute, state.users.lastMinute(without: users, most: EdgeCounts.most))
    }

    /// What follows from what another edge has told.
    package struct Consequence: Sendable, Equatable {
        /// What it tells of the time before is for this edge.
        package var isTaught = false
        /// It has just come: the sooner it is told, the better.
        package var hasToTell = false
    }

    /// Takes in what an edge tells, this one included.
    @discardableResult
    package func hear(_ report: EdgeCounts) -> Consequence {
        let time = milliseconds()
        return state.withLock { state in
            var consequence = Consequence()
            guard report.edge != edge else {
                state.isKnown = true
                return consequence
            }
            state.census.hear(report.edge, at: time)
            if report.isNew == true, !state.newcomers.contains(report.edge), state.newcomers.count < 100 {
                state.newcomers.append(report.edge)
                consequence.hasToTell = true
            }
            consequence.isTaught =
                report.newcomers?.contains(edge) == true && state.teachers.insert(report.edge).inserted
            if consequence.isTaught, let minute = report.minute {
                Self.take(minute, isLastMinute: true, into: &state, at: time)
            }
            if let admitted = report.admitted { Self.take(admitted, isLastMinute: false, into: &state, at: time) }
            return consequence
        }
    }

    private static func take(
        _ admitted: EdgeCounts.Admitted, isLastMinute: Bool, into state: inout State, at time: Int64
    ) {
        for (name, counts) in admitted.writes ?? [:] {
            guard let limit = Limit(rawValue: name) else { continue }
            for (caller, number) in counts {
                guard let hash = CallerHash(hexadecimal: caller) else { continue }
                state.writes[limit]?.hear(of: hash, number, isLastMinute: isLastMinute, at: time)
            }
        }
        for (app, users) in admitted.users ?? [:] {
            guard let hash = CallerHash(hexadecimal: app) else { continue }
            let users = users.compactMap(CallerHash.init(hexadecimal:))
            state.users.hear(users, of: hash, isLastMinute: isLastMinute, at: time)
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
