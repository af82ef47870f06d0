internal import Apps
package import Lane
package import Messages
package import SQLite

/// `experiment.create.v1`, in the partition of the app: keeps a draft and tells all partitions.
package struct CreateExperiment: MessageHandler {
    package init() {}

    package func apply(
        _ message: ExperimentCreate, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Experiment> {
        let draft: Experiment
        switch Experiment.draft(message, at: context.acceptedAt) {
        case .success(let made): draft = made
        case .failure(let refusal): return .refused(refusal)
        }
        let (app, organisation) = (message.app, message.organisation)
        guard try AppStore.knows(app, of: organisation, in: transaction) else {
            return .refused(.appUnknown)
        }
        if let current = try ExperimentStore.record(of: draft.id, of: app, of: organisation, in: transaction) {
            // Once more the command that made it.
            let isRepeat = current.createdAt == draft.createdAt && current.entitlement == draft.entitlement
            return isRepeat ? .applied(current) : .refused(.experimentExists)
        }
        guard
            try ExperimentStore.count(of: app, of: organisation, in: transaction) < ExperimentRules.mostExperiments
        else { return .refused(.tooMany("experiments of an app", ExperimentRules.mostExperiments)) }
        if message.isDryRun == true { return .applied(draft) }
        return .applied(try draft.kept(as: .createExperiment, by: context, in: transaction, told: &outgoing))
    }
}

extension Experiment {
    /// Itself, once it is stored, told and noted.
    func kept(
        as deed: AuditTrail.Deed, by context: MessageContext, in transaction: borrowing Transaction,
        told outgoing: inout Outgoing
    ) throws -> Experiment {
        try ExperimentStore.record(self, in: transaction)
        try outgoing.publish(ExperimentChanged(experiment: self))
        try context.note(deed, "\(Key.app(organisation, app)) \(id), version \(version)", in: transaction)
        return self
    }
}
