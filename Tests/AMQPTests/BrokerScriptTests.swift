import Foundation
import TestSupport
import Testing

@Suite("scripts/broker")
struct BrokerScriptTests {
    let script = BuiltExecutable(at: BuiltExecutable.packageFolder.appendingPathComponent("scripts/broker").path)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-script-\(UUID().uuidString)")

    @Test("It explains itself, and refuses what it does not know")
    func usage() async throws {
        let help = try await script.run(["--help"])
        #expect(help.status == 0 && help.output.contains("usage: broker start"))

        for arguments in [[], ["begin"], ["start"], ["stop"]] {
            let refusal = try await script.run(arguments)
            #expect(refusal.status == 64 && refusal.errors.contains("usage"), "\(arguments)")
        }
        let option = try await script.run(["start", folder.path, "--colour", "red"])
        #expect(option.status == 1 && option.errors.contains("--colour"))
        let missing = try await script.run(["stop", folder.path])
        #expect(missing.status == 1 && missing.errors.contains(folder.path))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("Started twice it runs once; its folder is private; when the one it is for ends, nothing of it is left")
    func life() async throws {
        let output = FileHandle.nullDevice
        let parent = try RunningProgram(BuiltExecutable(at: "/bin/sleep"), ["600"], output: output, errors: output)
        let arguments = ["start", folder.path, "--parent", String(parent.pid), "--throw-away"]

        let first = try await script.run(arguments)
        #expect(first.status == 0 && first.output.contains("ready"), "\(first.errors)")
        let second = try await script.run(arguments)
        #expect(second.status == 0 && second.output.contains("already running"))
        let environment = try await script.run(["env", folder.path])
        #expect(environment.output.contains("TOLLGATE_BROKER=amqp://tollgate:"))
        #expect(environment.output.contains("TOLLGATE_BROKER_MANAGEMENT=http://127.0.0.1:"))
        for file in ["env", "password", "rabbitmq.conf"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.appendingPathComponent(file).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        let users = try await script.run(["ctl", folder.path, "list_users"])
        #expect(users.output.contains("tollgate") && !users.output.contains("guest"))
        #expect(!processes().isEmpty)

        parent.signal(SIGKILL)
        let isGone = await eventually(within: .seconds(60)) {
            processes().isEmpty && !FileManager.default.fileExists(atPath: folder.path)
        }
        #expect(isGone, "\(processes())")
    }

    /// The processes that have the folder in their environment: the node, its port mapper, the watch.
    private func processes() -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.filter { process in
            guard Int(process) != nil,
                let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else { return false }
            return String(decoding: environment, as: UTF8.self).contains("TOLLGATE_BROKER_FOLDER=\(folder.path)")
        }
    }
}
