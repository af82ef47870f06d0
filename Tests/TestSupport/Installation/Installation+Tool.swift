import Foundation
package import Messages

/// The operator's tool, with the settings of this installation.
extension Installation {
    package var toolEnvironment: [String: String] {
        Self.settings.merging([
            "TOLLGATE_BROKER": address(of: .operatorTool), "TOLLGATE_BROKER_MANAGEMENT": broker.management,
            "TOLLGATE_ORGANISATION": Self.organisation,
        ]) { $1 }
    }

    package func tool(_ arguments: [String]) async throws -> BuiltExecutable.Output {
        try await BuiltExecutable("tollgate").run(
            arguments + layoutOptions(arguments), environment: toolEnvironment)
    }

    private nonisolated func layoutOptions(_ arguments: [String]) -> [String] {
        guard ["topology", "reconcile"].contains(arguments.first) else { return [] }
        return Self.services.flatMap { ["--partitions", "\($0)=\(count(of: $0))"] }
    }

    @discardableResult
    package func succeed(_ arguments: String...) async throws -> BuiltExecutable.Output {
        let output = try await tool(arguments)
        guard output.status == 0 else {
            throw TestFailure(
                "tollgate \(arguments.joined(separator: " ")): \(output.status)\n\(output.output)\(output.errors)")
        }
        return output
    }

    /// What `tollgate reconcile` prints, whatever its verdict.
    package func reconciliation() async throws -> String {
        let output = try await tool(["reconcile"])
        return output.output + output.errors
    }

    /// How many messages all partitions of `service` have applied.
    package func applied(by service: ServiceName) async throws -> Int {
        struct Report: Decodable {
            struct Row: Decodable {
                let service: ServiceName
                let applied: Int
            }
            let partitions: [Row]
        }
        let output = try await tool(["reconcile", "--json"]).output
        return try JSONDecoder().decode(Report.self, from: Data(output.utf8)).partitions
            .filter { $0.service == service }.reduce(0) { $0 + $1.applied }
    }
}
