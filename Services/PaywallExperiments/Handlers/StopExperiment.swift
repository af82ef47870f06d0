package import Lane
package import Messages
package import SQLite

/// `experiment.stop.v1`, in the partition of the app: it ends for good, also one that never ran.
package struct StopExperiment: MessageHandler {
    package init() {}

    package func apply(
        _ message: ExperimentStop, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Experiment> {
        let (app, organisation) = (message.app, message.organisation)
        guard
            let current = try ExperimentStore.record(of: message.experiment, of: app, of: organisation, in: transaction)
        else { return .refused(.experimentUnknown) }
        // Whoever wants it stopped has what he wants, whatever version he has seen.
        if current.state == .stopped { return .applied(current) }
        if let expected = message.expectedVersion, expected != current.version {
            return .refused(.versionChanged(current.version))
        }
        let stopped = current.stopped(at: context.acceptedAt)
        if message.isDryRun == true { return .applied(stopped) }
        return .applied(
            try stopped.kept(as: .stopExperiment, by: context, in: transaction, told: &outgoing))
    }
}
