package import Lane
package import Messages
package import SQLite

/// `experiment.changed.v1`, in every partition: keeps the experiment unless a newer version is there.
package struct ProjectExperiment: MessageHandler {
    package init() {}

    package func apply(
        _ message: ExperimentChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try ExperimentStore.record(message.experiment, in: transaction)
        return .applied
    }
}
