import Foundation
import Messages
import TestSupport

/// Does its worst to an installation until it is told to stop: one thing after the other to the services, and beside it one
/// after the other to the broker. What it does, to whom and for how long follows from the seed.
final class Nemesis: Sendable {
    let theatre: Theatre
    let stage: Stage
    let deeds = Counter()
    /// What should not have been possible, and what it could not do.
    let findings = Findings()
    private let seed: UInt64
    private let progress: Progress
    /// Held by whoever must not be disturbed.
    let gate = Gate()

    init(_ theatre: Theatre, on stage: Stage, seed: UInt64, _ progress: Progress) {
        (self.theatre, self.stage, self.seed, self.progress) = (theatre, stage, seed, progress)
    }

    var installation: Installation { stage.installation }

    /// Goes on until `end`, then puts everything right.
    func run(until end: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.run(Fault.ofServices, seed: self.seed ^ 0xA, until: end) }
            group.addTask { await self.run(Fault.ofBroker, seed: self.seed ^ 0xB, until: end) }
        }
        for node in nodes { try? await node.startAgain() }
        try? await installation.broker.setMemoryAlarm(false)
        await theatre.calm()
    }

    private func run(
        _ list: [(fault: Fault, weight: Int)], seed: UInt64, until end: ContinuousClock.Instant
    ) async {
        var dice = SeededGenerator(seed: seed)
        for fault in Fault.sequence(of: list, &dice, count: 10_000) {
            // What strikes comes when it likes.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 200...1800, using: &dice)))
            guard ContinuousClock.now < end else { return }
            // Each draws from its own, so that how one goes changes none of the next.
            var own = SeededGenerator(seed: dice.next())
            do {
                try await strike(fault, &own)
                deeds.add(fault.rawValue)
            } catch {
                deeds.add("did not come about: \(fault.rawValue)")
                findings.note("\(fault.rawValue): \(error)")
            }
        }
    }

    private func strike(_ fault: Fault, _ dice: inout SeededGenerator) async throws {
        let service = Installation.services.randomElement(using: &dice) ?? .entitlementResolver
        let inner = Self.inner.randomElement(using: &dice) ?? .entitlementResolver
        let long = Duration.milliseconds(Int.random(in: 500...2500, using: &dice))
        progress.say("\(fault.rawValue); \(service), \(inner)")
        defer { progress.say("over: \(fault.rawValue)") }
        switch fault {
        case .kill: try await kill([service])
        case .killAll: try await kill(Installation.services)
        case .restart:
            await installation.stop(service, SIGTERM)
            try await theatre.start(service)
        case .freeze: try await freeze(inner)
        case .pause:
            installation.signal(service, SIGSTOP)
            try? await Task.sleep(for: .milliseconds(700))
            installation.signal(service, SIGCONT)
        case .fullDisk: try await fillDisk(of: inner, for: long)
        case .rival: try await gate.alone { try await self.rival(of: inner) }
        case .killBroker:
            let node = nodes.randomElement(using: &dice) ?? installation.broker
            try await gate.alone { try await self.kill(node, for: long) }
        case .block:
            try await gate.alone {
                do {
                    try await self.installation.broker.setMemoryAlarm(true)
                    try? await Task.sleep(for: long)
                } catch {
                    self.findings.note("\(fault.rawValue): \(error)")
                }
                // Whatever became of it: nobody else lifts it.
                try await self.installation.broker.setMemoryAlarm(false)
            }
        case .cut: try await gate.alone { self.theatre.networks[service]?.cutAll() }
        case .tear:
            try await storm(
                RoughNetwork.Weather(delay: .milliseconds(1)...(.milliseconds(20)), pieces: 1...700), for: long)
        case .drop: try await storm(RoughNetwork.Weather(pieces: 1...2000, cutAfter: 5_000...120_000), for: long)
        case .halfClose: try await storm(RoughNetwork.Weather(halfCloseAfter: 5_000...120_000), for: long)
        case .silence:
            try await gate.alone {
                self.theatre.networks[service]?.fallSilent()
                try? await Task.sleep(for: long * 3)
                self.theatre.networks[service]?.speakAgain()
            }
        case .replay:
            let reason = Bool.random(using: &dice) ? "app_unknown" : "undecodable"
            try await gate.alone { try await self.replay(reason) }
        }
    }

    /// Those whose partitions have rivals and disks of their own.
    private static let inner: [ServiceName] = [
        .receiptValidator, .entitlementResolver, .paywallExperiments, .eventIngest,
    ]

    private func kill(_ services: [ServiceName]) async throws {
        for service in services { await installation.stop(service, SIGKILL) }
        for service in services { try await theatre.start(service) }
    }

    private var nodes: [BrokerProcess] { [installation.broker] + installation.neighbours }

    private func kill(_ node: BrokerProcess, for time: Duration) async throws {
        try await node.kill()
        // The others of a cluster go on without it.
        if nodes.count > 1 { try? await Task.sleep(for: time * 2) }
        try await node.startAgain()
    }

    private func fillDisk(of service: ServiceName, for time: Duration) async throws {
        guard let disk = await theatre.disk(of: service) else { throw TestFailure("needs root, to mount a small disk") }
        try disk.fill()
        try? await Task.sleep(for: time * 2)
        try disk.makeSpace()
    }

    /// Connections that are made from now on have this weather; those that are there are cut, so that all are.
    private func storm(_ weather: RoughNetwork.Weather, for time: Duration) async throws {
        try await gate.alone {
            await self.theatre.setWeather(weather)
            for network in self.theatre.networks.values { network.cutAll() }
            try? await Task.sleep(for: time * 2)
            await self.theatre.setWeather(RoughNetwork.Weather())
            for network in self.theatre.networks.values { network.cutAll() }
        }
    }

    /// As an operator does who has seen that their app is connected now, or hopes that they can be read at last.
    private func replay(_ reason: String, _ options: String...) async throws {
        let output = try await installation.tool(
            ["dead", "replay", "--yes", "--reason", reason, "--settle", "3s", "--patience", "5s", "--json"] + options)
        struct Report: Decodable {
            struct Count: Decodable {
                let outcome: String
                let count: Int
            }
            let outcomes: [Count]
        }
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(output.output.utf8)) else { return }
        for one in report.outcomes { deeds.add("replayed letters (\(reason)): \(one.outcome)", one.count) }
    }

    /// Goes on with it until it is cancelled: somebody has to wait for what is dead.
    func keepReplaying() async {
        while !Task.isCancelled {
            try? await replay("app_unknown", "--force")
            // An operator looks now and then.
            try? await Task.sleep(for: .seconds(2))
        }
    }
}
