import AttestGateway
import Messages
import TestSupport
import Testing

@Suite("Limits across edges")
struct LimitsAcrossEdgesTests {
    /// How a caller's writes come to the edges.
    enum Split: String, CaseIterable, Sendable {
        /// All to one edge.
        case one
        /// Evenly, as a balancer does.
        case even
        /// Nine of ten to one, the others to the rest.
        case skewed
        /// From one edge to the next, every 20 seconds.
        case moving
        /// To one, after a minute to another, and then to all.
        case spreading

        func edge(of edges: Int, at time: Int64, _ simulation: EdgeSimulation) -> Int {
            switch self {
            case .one: 0
            case .even: simulation.number(in: 0..<edges)
            case .skewed: simulation.number(in: 0..<10) > 0 ? 0 : simulation.number(in: 0..<edges)
            case .moving: Int(time / 20_000) % edges
            case .spreading: time < 60_000 ? 0 : time < 120_000 ? edges - 1 : simulation.number(in: 0..<edges)
            }
        }
    }

    private static let splits = [2, 3, 8].flatMap { edges in Split.allCases.map { (edges, $0) } }

    @Test("Who asks for more than the limit gets it within a quarter over any five minutes", arguments: splits)
    func demand(edges: Int, split: Split) {
        let seed = UInt64.random(in: 0...UInt64.max)
        let limit = 240
        let simulation = EdgeSimulation(edges: edges, rates: .init(organisation: limit), seed: seed)
        let start = simulation.time
        var log = AdmissionLog()

        // From 5 times the limit on a device each, so that no other limit is in the way.
        simulation.run(for: 480_000) { time in
            let edge = split.edge(of: edges, at: time - start, simulation)
            let device = UInt8(simulation.number(in: 0..<200))
            if simulation.admits(.attested(device), at: edge) { log.note(time) }
        }

        let parts = log.parts(of: limit, from: start, to: simulation.time)
        #expect(parts.lowerBound >= 0.75 && parts.upperBound <= 1.25, "\(parts), seed \(seed)")
    }

    @Test("A small limit holds as well", arguments: splits.filter { $0.0 < 8 })
    func small(edges: Int, split: Split) {
        let seed = UInt64.random(in: 0...UInt64.max)
        let simulation = EdgeSimulation(edges: edges, rates: .init(), seed: seed)
        let start = simulation.time
        var log = AdmissionLog()

        simulation.run(for: 420_000) { time in
            guard time % 200 == 0 else { return }
            let edge = split.edge(of: edges, at: time - start, simulation)
            if simulation.admits(.unattested("phone", "u", "192.0.2.1"), at: edge) { log.note(time) }
        }

        let parts = log.parts(of: 30, from: start, to: simulation.time)
        #expect(parts.lowerBound >= 0.75 && parts.upperBound <= 1.25, "\(parts), seed \(seed)")
    }

    /// The worst that a caller can do: he lies in wait, and turns to all edges before they can tell each other.
    @Test(
        "Who comes to all edges at once, time and again, gets no more than a quarter above",
        arguments: [2, 3, 8], [5_000, 31_000, 58_000, 60_000, 66_000, 75_000])
    func bursts(edges: Int, pause: Int64) {
        let seed = UInt64.random(in: 0...UInt64.max)
        let limit = 240
        // With the first edge half used up by then, and without.
        for quiet in [0, limit / 2] {
            let simulation = EdgeSimulation(edges: edges, rates: .init(organisation: limit), seed: seed)
            let start = simulation.time + Int64(simulation.number(in: 0..<60)) * 1_000
            var log = AdmissionLog()
            var rest = quiet

            simulation.run(for: 420_000) { time in
                guard time >= start else { return }
                if (time - start) % pause == 0 {
                    rest = quiet
                    for edge in 0..<edges {
                        for device in 0..<UInt8(250) {
                            guard simulation.admits(.attested(device), at: edge) else { break }
                            log.note(time)
                        }
                    }
                } else if rest > 0, simulation.admits(.attested(UInt8(rest)), at: 0) {
                    rest -= 1
                    log.note(time)
                }
            }

            let parts = log.parts(of: limit, from: start, to: simulation.time)
            #expect(parts.upperBound <= 1.25, "\(parts) after \(quiet), seed \(seed)")
        }
    }

    @Test("Who stays a quarter below the limit is refused next to nothing", arguments: splits)
    func below(edges: Int, split: Split) {
        let seed = UInt64.random(in: 0...UInt64.max)
        let simulation = EdgeSimulation(edges: edges, rates: .init(organisation: 240), seed: seed)
        let start = simulation.time
        var asked = 0
        var admitted = 0

        // 180 a minute.
        var next = start
        simulation.run(for: 300_000) { time in
            guard time >= next else { return }
            next += 333
            asked += 1
            let device = UInt8(simulation.number(in: 0..<200))
            if simulation.admits(.attested(device), at: split.edge(of: edges, at: time - start, simulation)) {
                admitted += 1
            }
        }

        #expect(Double(admitted) >= 0.95 * Double(asked), "\(admitted) of \(asked), seed \(seed)")
    }

    @Test(
        "An edge that dies and one that is born leave the limit where it is",
        arguments: [
            // With the first of them a newcomer once brought it a hair above the quarter.
            (2, 13_602_554_078_744_535_755 as UInt64), (2, UInt64.random(in: 0...UInt64.max)),
            (4, UInt64.random(in: 0...UInt64.max)),
        ])
    func deathAndBirth(edges: Int, seed: UInt64) {
        let limit = 240
        let simulation = EdgeSimulation(edges: edges, rates: .init(organisation: limit), seed: seed)
        let start = simulation.time
        var log = AdmissionLog()

        simulation.run(for: 720_000) { time in
            // Once a minute one is away for 15 seconds, as in a rolling upgrade; callers turn to the others, and first of all
            // to the one that has just come.
            let (round, second) = ((time - start) / 60_000, (time - start) % 60_000)
            let away = Int(round) % edges
            if second == 10_000 { simulation.kill(away) }
            if second == 25_000 { simulation.bear(away) }
            let isAway = (10_000..<25_000).contains(second)
            let edge = isAway ? (away + 1) % edges : second < 30_000 ? away : simulation.number(in: 0..<edges)
            let device = UInt8(simulation.number(in: 0..<200))
            if simulation.admits(.attested(device), at: edge) { log.note(time) }
        }

        let parts = log.parts(of: limit, from: start, to: simulation.time)
        #expect(parts.lowerBound >= 0.75 && parts.upperBound <= 1.25, "\(parts), seed \(seed)")
    }

    @Test("A few seconds after an edge has died the others have its share")
    func share() {
        let simulation = EdgeSimulation(edges: 2, rates: .init(organisation: 100), lag: 100...200, seed: 7)
        func burst(_ organisation: OrganisationID) -> Int {
            (0..<100).count { simulation.admits(.attested(UInt8($0), organisation), at: 0) }
        }

        let together = burst("a")
        simulation.kill(1)
        simulation.run(for: 2_000)
        let soon = burst("b")
        simulation.run(for: 5_000)
        let alone = burst("c")

        #expect((50...70).contains(together))
        #expect((50...70).contains(soon))
        #expect(alone == 100)
    }

    @Test("Different users that an app names count once, whatever edges they come to", arguments: Split.allCases)
    func users(split: Split) {
        let seed = UInt64.random(in: 0...UInt64.max)
        let limit = 300
        let simulation = EdgeSimulation(edges: 3, rates: .init(users: limit), seed: seed)
        let start = simulation.time
        var log = AdmissionLog()

        simulation.run(for: 420_000) { time in
            let edge = split.edge(of: 3, at: time - start, simulation)
            if simulation.admits(user: AppUserID(rawValue: "u\(time)"), at: edge) { log.note(time) }
        }

        let parts = log.parts(of: limit, from: start, to: simulation.time)
        #expect(parts.lowerBound >= 0.75 && parts.upperBound <= 1.25, "\(parts), seed \(seed)")
    }

    @Test("Nor are there more of them if they come in bursts, to one edge after the other", arguments: [1, 2, 3])
    func bursts(seconds: Int64) {
        let seed = UInt64.random(in: 0...UInt64.max)
        let limit = 300
        let simulation = EdgeSimulation(edges: 3, rates: .init(users: limit), seed: seed)
        let start = simulation.time
        var log = AdmissionLog()
        var user = 0

        simulation.run(for: 660_000) { time in
            guard (time - start) % 60_000 >= 60_000 - seconds * 1_000 else { return }
            for number in 0..<30 {
                user += 1
                if simulation.admits(user: AppUserID(rawValue: "u\(user)"), at: number % 3) { log.note(time) }
            }
        }

        let parts = log.parts(of: limit, from: start, to: simulation.time)
        #expect(parts.upperBound <= 1.25, "\(parts), seed \(seed)")
    }

    @Test("An app whose users are fewer than the limit is never refused one, though they come to every edge")
    func roamingUsers() {
        let seed = UInt64.random(in: 0...UInt64.max)
        let simulation = EdgeSimulation(edges: 3, rates: .init(users: 300), seed: seed)
        var refused = 0
        var asked = 0

        simulation.run(for: 300_000) { time in
            for _ in 0..<2 {
                asked += 1
                let user = AppUserID(rawValue: "u\(simulation.number(in: 0..<220))")
                if !simulation.admits(user: user, at: simulation.number(in: 0..<3)) { refused += 1 }
            }
        }

        #expect(Double(refused) <= 0.02 * Double(asked), "\(refused) of \(asked), seed \(seed)")
    }

    @Test("A report is bounded however many callers there are; those nearest to their limit are in it")
    func boundedReport() throws {
        let limits = CallerLimits(.init(device: 8, address: 1_000_000), edge: "a") { 5_000 }
        limits.hear(EdgeCounts(edge: "b"))
        for number in 0..<20_000 { _ = limits.admit(.unattested("i\(number)", "u", "192.0.2.\(number % 100)")) }
        for _ in 0..<3 { _ = limits.admit(.unattested("eager", "u", "198.51.100.1")) }

        let report = try #require(limits.report())

        let told = try #require(report.admitted?.writes)
        #expect(told.values.map(\.count).reduce(0, +) <= EdgeCounts.most)
        #expect(told["device"]?.values.contains(3) == true)
        #expect(try MessageJSON.encode(report).count < 100_000)
    }

    @Test("A report names nobody: neither ids, nor addresses, nor apps")
    func nameless() throws {
        let limits = CallerLimits(.init(), edge: "a") { 5_000 }
        limits.hear(EdgeCounts(edge: "b"))
        _ = limits.admit(.unattested("install-1", "maria", "192.0.2.1"))
        _ = limits.admit(user: "maria", of: .tunes)

        let text = String(decoding: try MessageJSON.encode(try #require(limits.report())), as: UTF8.self)

        #expect(text.contains("device") && text.contains("users"))
        for name in ["install-1", "maria", "192.0.2.1", "acme", "tunes"] { #expect(!text.contains(name)) }
    }

    @Test("An edge alone says nothing but that it is there, every other second")
    func alone() {
        let simulation = EdgeSimulation(edges: 1, rates: .init(organisation: 1_000_000), seed: 1)
        let before = simulation.reports
        simulation.run(for: 60_000) { time in _ = simulation.admits(.attested(UInt8(time / 50 % 250)), at: 0) }

        #expect((29...31).contains(simulation.reports - before))
        #expect(simulation.longestReport < 100)
    }

    @Test(
        "What others tell is believed as far as it can be read",
        arguments: [
            #"{"edge":"b","admitted":{"writes":{"device":{"xyz":5,"+123456789abcdef":5},"moon":{"9f86d081884c7d65":5}}}}"#,
            #"{"edge":"b","admitted":{"writes":{"device":{"9f86d081884c7d65":-9223372036854775808}},"users":{"x":["y"]}}}"#,
            #"{"edge":"b","admitted":{"writes":{"device":{"9f86d081884c7d65":9223372036854775807}}},"newcomers":["a"],"minute":{}}"#,
        ])
    func hostile(text: String) throws {
        let limits = CallerLimits(.init(), edge: "a") { 0 }

        limits.hear(try MessageJSON.decode(EdgeCounts.self, from: Array(text.utf8)))
        limits.hear(try MessageJSON.decode(EdgeCounts.self, from: Array(text.utf8)))

        #expect(limits.admit(.unattested("i", "u", "192.0.2.1")) == nil)
    }

    @Test("Each edge calls a caller by the same name, and no other by it")
    func hashes() {
        #expect(CallerHash("device", "a", "b").hexadecimal == CallerHash("device", "a", "b").hexadecimal)
        #expect(CallerHash("ab", "c") != CallerHash("a", "bc"))
        for bits in [0, 1, 0x9f86_d081_884c_7d65, UInt64.max] {
            #expect(CallerHash(hexadecimal: CallerHash(bits).hexadecimal) == CallerHash(bits))
        }
    }
}
