import Foundation
import HTTPClient
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
    /// Services that ended without our doing, which must not pass for a fault of ours.
    let crashes = Findings()
    private static let failed = "did not come about: "
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
        for (service, status) in await theatre.calm() { noteEnd(of: service, status, unlike: []) }
        let missed = Fault.allCases.map(\.rawValue).filter {
            deeds.all[$0] == nil && deeds.all[Self.failed + $0] == nil
        }
        for fault in missed { findings.note("\(fault): its turn never came") }
    }

    /// A service that has ended by itself must not hide behind our killing it.
    private func noteEnd(of service: ServiceName, _ status: Int32, unlike expected: Set<Int32>) {
        // Without a process it could not be started, which was told then.
        guard status != -1, !expected.contains(status) else { return }
        deeds.add("services that had ended by themselves")
        crashes.note("\(service) had ended by itself, with \(status)")
    }

    private func end(_ service: ServiceName, _ signal: Int32) async {
        // Asked in order before it listens to that, it ends by the signal: it has begun nothing then.
        let expected: Set<Int32> = signal == SIGTERM ? [0, SIGTERM] : [signal]
        noteEnd(of: service, await installation.stop(service, signal), unlike: expected)
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
                deeds.add(Self.failed + fault.rawValue)
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
            await end(service, SIGTERM)
            try await theatre.start(service)
        case .freeze: try await freeze(inner)
        case .pause:
            guard installation.signal(service, SIGSTOP) else { throw TestFailure("\(service) was not there") }
            try? await Task.sleep(for: .milliseconds(700))
            installation.signal(service, SIGCONT)
        case .fullDisk: try await fillDisk(of: inner, for: long)
        case .rival: try await gate.alone { try await self.rival(of: inner) }
        case .killBroker:
            let node = nodes.randomElement(using: &dice) ?? installation.broker
            try await gate.alone { try await self.kill(node, for: long) }
        case .block:
            try await gate.alone { try await self.block(for: long) }
        case .cut:
            try await gate.alone {
                guard let network = self.theatre.networks[service], network.connectionCount > 0 else {
                    throw TestFailure("\(service) had no connection")
                }
                network.cutAll()
            }
        case .tear:
            let weather = RoughNetwork.Weather(delay: .milliseconds(1)...(.milliseconds(20)), pieces: 1...700)
            try await storm(weather, for: long, counting: "connections that were torn and delayed", \.connections)
        case .drop:
            let weather = RoughNetwork.Weather(pieces: 1...2000, cutAfter: 5_000...120_000)
            try await storm(weather, for: long, counting: "connections cut in the middle of frames", \.cuts)
        case .halfClose:
            let weather = RoughNetwork.Weather(halfCloseAfter: 5_000...120_000)
            try await storm(weather, for: long, counting: "connections closed in one direction", \.halfCloses)
        case .silence:
            try await gate.alone {
                guard (self.theatre.networks[service]?.connectionCount ?? 0) > 0 else {
                    throw TestFailure("\(service) had no connection")
                }
                self.theatre.networks[service]?.fallSilent()
                try? await Task.sleep(for: long * 3)
                self.theatre.networks[service]?.speakAgain()
            }
        case .replay:
            let reason = Bool.random(using: &dice) ? "app_unknown" : "undecodable"
            try await gate.alone {
                guard try await self.replay(reason) > 0 else { throw TestFailure("no letter was \(reason)") }
            }
        }
    }

    /// Those whose partitions have rivals and disks of their own.
    private static let inner: [ServiceName] = [
        .receiptValidator, .entitlementResolver, .paywallExperiments, .eventIngest,
    ]

    private func kill(_ services: [ServiceName]) async throws {
        for service in services { await end(service, SIGKILL) }
        for service in services { try await theatre.start(service) }
    }

    /// One whose disk is full before it has opened its store says so and ends; whoever runs it starts it again.
    private func hasRefusedToStart(_ service: ServiceName) async throws -> Bool {
        guard await installation.hasEnded(service) else { return false }
        let log = try String(contentsOf: installation.logFile(of: service), encoding: .utf8)
        return log.suffix(1000).contains("cannot be opened")
    }

    private func fillDisk(of service: ServiceName, for time: Duration) async throws {
        guard let disk = await theatre.disk(of: service) else { throw TestFailure(await theatre.whyNoDisks) }
        try disk.fill()
        async let hasPaused = eventually(within: time * 2, every: .milliseconds(100)) {
            (try? await self.installation.readiness(of: service))?.text.contains("paused") == true
        }
        try? await Task.sleep(for: time * 2)
        try disk.makeSpace()
        if try await hasRefusedToStart(service) {
            deeds.add("services that could not open their store on a full disk")
            await installation.stop(service)
            try await theatre.start(service)
            return
        }
        guard await hasPaused else {
            throw TestFailure("\(service) had nothing to write, or did not say that it cannot")
        }
    }
}
