import Foundation
import HTTPClient
import Messages
import Synchronization
import TestSupport

/// What is done to the broker, to the way to it, and with what has died.
extension Nemesis {
    var nodes: [BrokerProcess] { [installation.broker] + installation.neighbours }

    func kill(_ node: BrokerProcess, for time: Duration) async throws {
        try await node.kill()
        // The others of a cluster go on without it.
        if nodes.count > 1 { try? await Task.sleep(for: time * 2) }
        try await node.startAgain()
    }

    func block(for time: Duration) async throws {
        let isOver = Mutex(false)
        async let isSeen = seesBlock { isOver.withLock { $0 } }
        var failure: (any Error)?
        do {
            try await installation.broker.beShortOfMemory(for: time)
        } catch {
            failure = error
        }
        isOver.withLock { $0 = true }
        let wasSeen = await isSeen
        if let failure { throw failure }
        guard wasSeen else { throw TestFailure("nobody published meanwhile") }
    }

    /// Whether a service says that the broker takes nothing from it, before `isOver`.
    private func seesBlock(until isOver: () -> Bool) async -> Bool {
        while !isOver() {
            for service in Installation.services
            where (try? await installation.number("tollgate_broker_blocked", of: service)) == 1 { return true }
            // Another process announces nothing.
            try? await Task.sleep(for: .milliseconds(30))
        }
        return false
    }

    /// Connections that are made from now on have this weather; those that are there are cut, so that all are.
    func storm(
        _ weather: RoughNetwork.Weather, for time: Duration, counting what: String,
        _ deed: @escaping @Sendable (RoughNetwork.Deeds) -> Int
    ) async throws {
        try await gate.alone {
            func count() -> Int { self.theatre.networks.values.reduce(0) { $0 + deed($1.deeds) } }
            await self.theatre.setWeather(weather)
            for network in self.theatre.networks.values { network.cutAll() }
            let before = count()
            try? await Task.sleep(for: time * 2)
            let happened = count() - before
            await self.theatre.setWeather(RoughNetwork.Weather())
            for network in self.theatre.networks.values { network.cutAll() }
            guard happened > 0 else { throw TestFailure("no connection came so far") }
            self.deeds.add(what, happened)
        }
    }

    /// As an operator does who has seen that their app is connected now, or hopes that they can be read at last.
    ///
    /// - Returns: how many were.
    @discardableResult
    func replay(_ reason: String, _ options: String...) async throws -> Int {
        let output = try await installation.tool(
            ["dead", "replay", "--yes", "--reason", reason, "--settle", "3s", "--patience", "5s", "--json"] + options)
        struct Report: Decodable {
            struct Count: Decodable {
                let outcome: String
                let count: Int
            }
            let outcomes: [Count]
        }
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(output.output.utf8)) else {
            throw TestFailure("\(output.output)\(output.errors)")
        }
        for one in report.outcomes where one.count > 0 {
            deeds.add("replayed letters (\(reason)): \(one.outcome)", one.count)
        }
        return report.outcomes.reduce(0) { $0 + $1.count }
    }

    /// Goes on with it until it is cancelled, for somebody waits for what is dead: now and then, and often once nothing else
    /// is amiss.
    func keepReplaying() async {
        while !Task.isCancelled {
            _ = await eventually(within: .seconds(15), every: .milliseconds(500)) { self.stage.patience.isCalm }
            // An operator looks, and looks away.
            try? await Task.sleep(for: .seconds(2))
            _ = try? await replay("app_unknown", "--force")
        }
    }
}
