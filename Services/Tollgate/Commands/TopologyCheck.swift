internal import Messages
internal import Messaging

/// `tollgate topology check`
struct TopologyCheck: ToolCommand {
    static let layout = CommandLayout(
        "topology check", "Compares what the broker has with what the installation needs, exactly",
        details: """
            Names every difference and what to do about it; exit 1 if there is one. Without the management API only the \
            arguments can be compared, by declaring everything again: what was missing is there afterwards.
            \(LayoutOptions.details)
            """,
        options: LayoutOptions.all + BrokerOptions.all,
        example: "tollgate topology check --partitions receipt-validator=4")

    private struct Finding: Encodable {
        let differences: [Difference]
        let unchecked: [String]
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let layout = try LayoutOptions.layout(from: arguments, in: surroundings)
        let options = try BrokerOptions(from: arguments, in: surroundings)
        guard let management = options.management else { return try await redeclare(layout, options, in: surroundings) }
        let differences = TopologyComparison(layout: layout).differences(in: try await management.state())
        let topology = Topology(layout)
        let lines = differences.map { "\($0.subject) \($0.problem)\n  \($0.remedy)" }
        let verdict =
            differences.isEmpty
            ? "as it should be: \(topology.summary), \(BrokerPermissions.all.count) users"
            : "not as it should be: \(differences.count) \(differences.count == 1 ? "difference" : "differences")"
        return try Output(
            (lines + [verdict]).joined(separator: "\n"), json: Finding(differences: differences, unchecked: []),
            status: differences.isEmpty ? .success : .failed)
    }

    private static func redeclare(
        _ layout: Topology.Layout, _ options: BrokerOptions, in surroundings: Surroundings
    ) async throws -> Output {
        let unchecked = [
            "whether anything was missing: it has been declared", "foreign queues and bindings",
            "users and their permissions", "policies",
        ]
        try await options.declare(Topology(layout), in: surroundings)
        let text = """
            arguments are as they should be: \(Topology(layout).summary)
            not checked, for TOLLGATE_BROKER_MANAGEMENT is not set:
            \(unchecked.map { "  \($0)" }.joined(separator: "\n"))
            """
        return try Output(text, json: Finding(differences: [], unchecked: unchecked))
    }
}

extension Topology {
    /// How much of it there is.
    var summary: String { "\(exchanges.count) exchanges, \(queues.count) queues, \(bindings.count) bindings" }
}

extension BrokerOptions {
    /// Declares everything of `topology` that is not there.
    ///
    /// - Throws: ``ToolFailure``.
    func declare(_ topology: Topology, in surroundings: Surroundings) async throws(ToolFailure) {
        do throws(BrokerError) {
            let session = try await surroundings.connect(settings).broker.openSession(named: "tollgate topology")
            var failure: BrokerError?
            do { try await session.declare(topology) } catch { failure = error }
            await session.close()
            if let failure { throw failure }
        } catch {
            throw ToolFailure(error)
        }
    }
}
