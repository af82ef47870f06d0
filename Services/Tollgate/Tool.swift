internal import FoundationEssentials
internal import Glibc
internal import ServiceKit

/// The whole tool: finds the command, runs it, prints what it says.
package struct Tool: Sendable {
    /// Every command, in the order of `--help`.
    static let commands: [any ToolCommand.Type] = [
        AppsAdd.self, AppsSet.self, AppsShow.self, AppsList.self, KeysAdd.self, KeysList.self, KeysRevoke.self,
        ProductsMap.self, ProductsList.self,
        PaywallsSet.self, PaywallsShow.self, PaywallsList.self, PlacementsSet.self, PlacementsList.self,
        ExperimentsCreate.self, ExperimentsStart.self, ExperimentsChange.self, ExperimentsStop.self,
        ExperimentsList.self, ExperimentsShow.self, ExperimentsResults.self, ExperimentsAssign.self,
        DevicesList.self, DevicesShow.self, DevicesRevoke.self, UsersShow.self, UsersWhy.self,
        UsersExport.self, UsersErase.self, LinksHistory.self, LinksUndo.self, LinksUnpin.self,
        LinksContestedCommand.self, LinksResendCommand.self, SignpostsNames.self, SignpostsTail.self,
        SignpostsRelease.self, SignpostsClaims.self,
        Verify.self, ArtifactsList.self,
        ArtifactsReverify.self, FunnelCommand.self, Reconcile.self, LoadCommand.self, DeadList.self,
        DeadShow.self, DeadGroups.self, DeadReplayCommand.self, DeadEditCommand.self, DeadDiscard.self,
        DeadRestore.self, DeadForgetCommand.self, DeadExport.self, DeadImportCommand.self, DeadWatch.self, Audit.self,
        TopologyShow.self,
        TopologyApply.self, TopologyCheck.self, TopologyAsyncAPI.self,
        StoreCreate.self,
        Generate.self, SimulateAuthority.self, SimulateTransaction.self, SimulateShow.self, SimulateAttest.self,
        SimulateAssert.self,
    ]

    private let surroundings: Surroundings

    /// A tool in these surroundings.
    package init(in surroundings: Surroundings) { self.surroundings = surroundings }

    /// What the process prints and how it ends.
    package struct Ending: Sendable {
        /// For standard output.
        package var output = ""
        /// For standard error.
        package var complaint = ""
        package var status = ExitStatus.success
    }

    /// Does what `words` say, the tool's own name excepted.
    package func run(_ words: [String]) async -> Ending {
        let layouts = Self.commands.map { $0.layout }
        guard let first = words.first, !["--help", "-h", "help"].contains(first) else {
            return Ending(output: HelpText.of(layouts), status: words.isEmpty ? .usage : .success)
        }
        if first == "--version" { return Ending(output: "tollgate \(Release.version)") }
        guard let command = Self.commands.first(where: { words.starts(with: $0.layout.path) }) else {
            return unknown(words, layouts)
        }
        let name = command.layout.name
        do {
            let output = try await run(command, Array(words.dropFirst(command.layout.path.count)))
            let complaint = output.remark.map { "tollgate \(name): \($0)" } ?? ""
            return Ending(output: output.text, complaint: complaint, status: output.status)
        } catch {
            // What strangers wrote may be in it.
            let complaint = "\(error)".onItsLines
            return switch error {
            case is UsageError: Ending(complaint: "tollgate: \(complaint)", status: .usage)
            case is SettingsError: Ending(complaint: "tollgate: \(complaint)", status: .settings)
            case let failure as ToolFailure: Ending(complaint: "tollgate \(name): \(complaint)", status: failure.status)
            default: Ending(complaint: "tollgate \(name): \(complaint)", status: .failed)
            }
        }
    }

    private func run(_ command: any ToolCommand.Type, _ words: [String]) async throws -> (
        text: String, remark: String?, status: ExitStatus
    ) {
        let settings = try Settings(environment: surroundings.environment)
        let arguments = try Arguments(words, as: command.layout, settings: settings)
        if arguments.isSet(CommandLayout.help) { return (HelpText.of(command.layout), nil, .success) }
        let output = try await command.run(arguments, in: surroundings)
        return (arguments.isSet(CommandLayout.json) ? output.json : output.text, output.remark, output.status)
    }

    /// A group without a command, or nothing that we know.
    private func unknown(_ words: [String], _ layouts: [CommandLayout]) -> Ending {
        let group = words[0]
        guard layouts.contains(where: { $0.path.count > 1 && $0.path[0] == group }) else {
            return Ending(complaint: "tollgate: there is no command \(group); see tollgate --help", status: .usage)
        }
        let help = HelpText.of(layouts, group: group)
        if words.dropFirst().allSatisfy({ $0 == "--help" || $0 == "-h" }) {
            return Ending(output: help, status: words.count > 1 ? .success : .usage)
        }
        return Ending(
            complaint: "tollgate: there is no command \(group) \(words[1]); see tollgate \(group) --help",
            status: .usage)
    }
}
