import Foundation
package import Messages
import Synchronization

extension Installation {
    /// What a service holds in memory (`VmRSS` of proc(5)).
    package nonisolated func residentMegabytes(of service: ServiceName) -> Double {
        let status = text(of: "status", service)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }

    /// Processor time that a service has used.
    package nonisolated func processorSeconds(of service: ServiceName) -> Double {
        seconds(in: text(of: "stat", service))
    }

    /// Processor time that the broker's node has used.
    package nonisolated var brokerProcessorSeconds: Double {
        let pid = try? String(contentsOf: broker.folder.appendingPathComponent("node.pid"), encoding: .utf8)
        let stat = try? String(
            contentsOfFile: "/proc/\(pid?.trimmingCharacters(in: .newlines) ?? "")/stat", encoding: .utf8)
        return seconds(in: stat ?? "")
    }

    private nonisolated func text(of file: String, _ service: ServiceName) -> String {
        guard let pid = pids.withLock({ $0[service] }) else { return "" }
        return (try? String(contentsOfFile: "/proc/\(pid)/\(file)", encoding: .utf8)) ?? ""
    }
}

/// `utime` and `stime` of proc(5).
private func seconds(in stat: String) -> Double {
    // The name in brackets may hold spaces; the fields are counted behind it.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
}
