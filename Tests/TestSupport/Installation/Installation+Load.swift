import Foundation
package import Messages
import StoreSimulator
import Synchronization

extension Installation {
    /// Writes the number of each service's process into a file of its name, as `scripts/run` does.
    ///
    /// - Returns: the folder.
    package nonisolated func noteProcesses() throws -> String {
        let pidFolder = folder.appendingPathComponent("pids")
        try FileManager.default.createDirectory(at: pidFolder, withIntermediateDirectories: true)
        for (service, pid) in pids.withLock({ $0 }) {
            let file = pidFolder.appendingPathComponent(service.rawValue)
            try "\(pid)\n".write(to: file, atomically: true, encoding: .utf8)
        }
        return pidFolder.path
    }

    /// Ends a process that somebody else has started in the place of a service, by its file in ``noteProcesses()``.
    package nonisolated func endProcess(of service: ServiceName, in pidFolder: String) {
        let text = try? String(contentsOfFile: "\(pidFolder)/\(service)", encoding: .utf8)
        guard let pid = text.flatMap({ Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }), pid > 1,
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe"))?
                .hasSuffix("/\(service)") == true
        else { return }
        kill(pid, SIGKILL)
    }

    /// Runs `tollgate load` against this installation with the demo app's authority.
    package func load(_ arguments: String...) async throws -> BuiltExecutable.Output {
        try await tool(loadArguments(arguments))
    }

    /// Runs `tollgate load`, and presses Ctrl-C once `isTime` has returned.
    package func interruptedLoad(_ arguments: String..., when isTime: @Sendable () async -> Bool) async throws
        -> BuiltExecutable.Output
    {
        try await BuiltExecutable("tollgate").run(loadArguments(arguments), environment: toolEnvironment) { program in
            _ = await isTime()
            program.signal(SIGINT)
        }
    }

    private func loadArguments(_ arguments: [String]) throws -> [String] {
        let authorityFolder = folder.appendingPathComponent("authority").path
        if !FileManager.default.fileExists(atPath: authorityFolder) { try authority.save(to: authorityFolder) }
        return [
            "load", "--authority", authorityFolder, "--app", Self.app, "--url",
            "http://127.0.0.1:\(edgePort)", "--load-broker", address(of: .load),
        ] + arguments
    }
}
