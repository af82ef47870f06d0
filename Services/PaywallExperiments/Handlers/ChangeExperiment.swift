package import Lane
package import Messages
package import SQLite

/// `experiment.change.v1`, in the partition of the app: another rule of one that runs begins a new epoch.
package struct ChangeExperiment: MessageHandler {
    package init() {}

    package func apply(
        _ message: ExperimentChange, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Experiment> {
        let (app, organisation, id) = (message.app, message.organisation, message.experiment)
        guard let current = try ExperimentStore.record(of: id, of: app, of: organisation, in: transaction) else {
            return .refused(.experimentUnknown)
        }
        switch try CommandStore.standing(
            of: context, about: .experiment, id.rawValue, of: app, of: organisation, in: transaction)
        {
        case .repeated: return .applied(current)
        case .overtaken: return .refused(.overtaken)
        case .newest: break
        }
        if let expected = message.expectedVersion, expected != current.version {
            return .refused(.versionChanged(current.version))
        }
        guard current.state != .stopped else { return .refused(.experimentStopped) }
        let changed: Experiment
        switch current.changed(by: message, at: context.acceptedAt) {
        case .success(let made): changed = made
        case .failure(let refusal): return .refused(refusal)
        }
        if message.isDryRun == true { return .applied(changed) }
        try CommandStore.note(
            context, about: .experiment, id.rawValue, of: app, of: organisation, in: transaction)
        guard changed != current else { return .applied(current) }
        return .applied(try changed.kept(as: .changeExperiment, by: context, in: transaction, told: &outgoing))
    }
}
