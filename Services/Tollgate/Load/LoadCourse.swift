internal import Messages
internal import Messaging
internal import Synchronization

/// One run: sends what is due when it is due, whatever the other side does, and follows what comes of it.
struct LoadCourse: Sendable {
    let schedule: LoadSchedule
    let supply: LoadSupply
    let door: any LoadDoor
    let ledger: LoadLedger
    let start: LoadStart
    let watch: LoadWatch
    let stop: LoadStop
    let kills: [(kill: LoadKill, folder: String)]
    /// How many messages may be on their way.
    let mostInFlight: Int
    /// How long what was accepted may take to have its effect once everything was sent.
    let patience: Duration
    /// Says every second how it goes.
    let tell: @Sendable () async -> Void
    /// Says what was done to the installation.
    let note: @Sendable (String) -> Void

    /// Sends everything, waits for the effects, and goes on watching for them while `afterwards` looks at what has come of
    /// it all.
    func run<Value: Sendable>(afterwards: () async throws -> Value) async throws -> Value {
        try await supply.fill()
        return try await withThrowingTaskGroup(of: Void.self) { background in
            let (stands, stood) = AsyncStream.makeStream(of: Void.self)
            background.addTask { await watch.follow { stood.yield() } }
            var standing = stands.makeAsyncIterator()
            await standing.next()
            start.begin()
            background.addTask {
                while !Task.isCancelled {
                    // The operator looks once a second.
                    try await Task.sleep(for: .seconds(1))
                    await tell()
                }
            }
            // A kill that cannot be done ends the run: what it would show is not what was asked for.
            try await stop.bounding {
                try await withThrowingTaskGroup(of: Void.self) { work in
                    work.addTask { try await supply.run(until: stop) }
                    work.addTask { try await send() }
                    for (kill, folder) in kills { work.addTask { try await strike(kill, in: folder) } }
                    try await work.waitForAll()
                }
            }
            try await settle()
            let value = try await afterwards()
            background.cancelAll()
            return value
        }
    }

    private func send() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !supply.isOver, !stop.isAsked {
                guard let due = supply.nextDue else {
                    // Making is behind; the messages will be late, and counted as that.
                    try await Task.sleep(for: .milliseconds(1))
                    continue
                }
                try await stop.wait(until: start.instant(at: due))
                for message in supply.take(dueAt: start.elapsed) {
                    guard ledger.begin(late: start.elapsed - message.due, most: mostInFlight) else {
                        ledger.end(message, .unsent, at: start.elapsed)
                        continue
                    }
                    group.addTask {
                        let acceptance = await door.send(message.way)
                        ledger.end(message, acceptance, at: start.elapsed)
                    }
                }
            }
            start.noteLast()
        }
    }

    private func strike(_ kill: LoadKill, in folder: String) async throws {
        try await stop.wait(until: start.instant(at: kill.time))
        guard !stop.isAsked else { return }
        // Read only now: somebody else may have started it anew meanwhile.
        let process = try LocalProcess(kill.service, in: folder)
        guard process.kill() else { throw ToolFailure(.failed, "--kill \(kill.service): it cannot be killed") }
        note("\(kill.service) was killed after \(LoadText.seconds(start.elapsed))")
        // Whatever becomes of this run: what we have stopped is started again.
        try? await stop.wait(until: .now + kill.away)
        try process.startAgain()
        note("\(kill.service) was started again after \(LoadText.seconds(start.elapsed))")
    }

    private func settle() async throws {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < stop.limit(deadline), ledger.open().count > 0 {
            // What is seen is counted by whoever sees it, many times a second; nobody waits for the last one but we.
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
