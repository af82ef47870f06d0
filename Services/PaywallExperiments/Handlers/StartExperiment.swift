package import Lane
package import Messages
package import SQLite

/// `experiment.start.v1`, in the partition of the app: a draft runs from now on. All starts of one paywall meet here, so
/// that only one of them succeeds.
package struct StartExperiment: MessageHandler {
    package init() {}

    package func apply(
        _ message: ExperimentStart, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Experiment> {
        let (app, organisation) = (message.app, message.organisation)
        guard
            let current = try ExperimentStore.record(of: message.experiment, of: app, of: organisation, in: transaction)
        else { return .refused(.experimentUnknown) }
        // Once more the command that has started it.
        if current.startedAt == context.acceptedAt { return .applied(current) }
        if let expected = message.expectedVersion, expected != current.version {
            return .refused(.versionChanged(current.version))
        }
        if current.state == .running { return .applied(current) }
        guard current.state == .draft else { return .refused(.experimentStopped) }
        let entitlement = current.entitlement
        let plan = try PlanStore.plan(
            PlanStore.stamp(of: entitlement, of: app, of: organisation, in: transaction), of: entitlement, of: app,
            of: organisation, in: transaction)
        if let other = plan.running { return .refused(.anotherRunning(other.id)) }
        guard !plan.skus.isEmpty else { return .refused(.paywallUnknown) }
        let started = current.started(at: context.acceptedAt)
        if message.isDryRun == true { return .applied(started) }
        // What was to change the draft does not begin an epoch of what runs, if it comes late.
        let name = message.experiment.rawValue
        if case .newest = try CommandStore.standing(
            of: context, about: .experiment, name, of: app, of: organisation, in: transaction)
        {
            try CommandStore.note(context, about: .experiment, name, of: app, of: organisation, in: transaction)
        }
        return .applied(try started.kept(as: .startExperiment, by: context, in: transaction, told: &outgoing))
    }
}
