import Foundation
import Messages
import TestSupport

/// Two owners of one partition: what must never be.
extension Nemesis {
    /// The owner is frozen until the broker has given it up; meanwhile somebody starts the service once more on the same
    /// store, which it still holds. Then it wakes up.
    func freeze(_ service: ServiceName) async throws {
        guard installation.signal(service, SIGSTOP) else { throw TestFailure("\(service) was not there") }
        // The broker drops who has been silent for two heartbeats; it looks once in a heartbeat.
        try? await Task.sleep(for: Stage.heartbeat * 3 + .milliseconds(500))
        let rival = try await start(rivalOf: service, in: await theatre.storeFolder(of: service))
        let hasEnded = await eventually(within: .seconds(10), every: .milliseconds(50)) { rival.program.hasEnded }
        installation.signal(service, SIGCONT)
        if hasEnded {
            deeds.add("rivals turned away by the lock on the store")
        } else {
            findings.note("two owners: a second process has opened the store that \(service) holds")
            // Long enough to see what two owners come to.
            try? await Task.sleep(for: .seconds(3))
        }
        await rival.end()
    }

    /// Somebody starts the service once more by mistake, with an empty store: it has to stand by as long as the owner
    /// lives, also while it is frozen for a moment. The owner is a new one, whose connections know no bad weather: nothing
    /// else may part it from its partitions meanwhile, or the rival would be right.
    func rival(of service: ServiceName) async throws {
        theatre.networks[service]?.set(RoughNetwork.Weather())
        await installation.stop(service, SIGTERM)
        try await theatre.start(service)
        try await installation.waitUntilReady(service)
        let folder = installation.folder.appendingPathComponent("rival-\(UUID())").path
        try await installation.succeed(
            "store", "create", service.rawValue, "--store", folder, "--partitions",
            String(installation.count(of: service)))
        let rival = try await start(rivalOf: service, in: folder)
        let standsBy = await eventually(within: .seconds(10), every: .milliseconds(50)) {
            rival.log.contains("standby") || rival.log.contains("\"message\":\"consuming\"")
        }
        if standsBy {
            installation.signal(service, SIGSTOP)
            try? await Task.sleep(for: .milliseconds(600))
            installation.signal(service, SIGCONT)
        }
        if rival.log.contains("\"message\":\"consuming\"") {
            findings.note("two owners: a second \(service) consumes while the first one lives")
        } else if standsBy {
            deeds.add("rivals that stood by")
        }
        await rival.end()
        // One that never came so far has put nobody to the test.
        guard standsBy else { throw TestFailure("the rival did not come to stand by: \(rival.log.suffix(300))") }
    }

    private struct Rival {
        let program: RunningProgram
        let file: URL
        var log: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

        func end() async {
            program.signal(SIGKILL)
            _ = await program.exitStatus
        }
    }

    private func start(rivalOf service: ServiceName, in storeFolder: String) async throws -> Rival {
        let file = installation.folder.appendingPathComponent("rival-\(UUID()).log")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        var environment = await theatre.environment(of: service)
        environment["TOLLGATE_STORE"] = storeFolder
        environment["TOLLGATE_HEALTH_PORT"] = String(try freePort())
        let program = try RunningProgram(
            BuiltExecutable(service.rawValue), environment: environment, output: handle, errors: handle)
        return Rival(program: program, file: file)
    }
}
