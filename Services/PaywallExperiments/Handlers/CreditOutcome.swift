internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `outcome.credit.v1`, in the install's partition: a purchase counts for its exposure, or does so no more.
package struct CreditOutcome: MessageHandler {
    package init() {}

    package func apply(
        _ message: OutcomeCredit, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let erasure = try ErasureStore.erasure(
            of: Customer(message.organisation, message.user), covering: message.namedAt, in: transaction)
        let payer = erasure.map { AppUserID.erased(by: $0.command) } ?? message.user
        let known = try OutcomeStore.revision(of: message, of: payer, in: transaction)
        guard message.revision > known ?? .min else { return .overtaken }
        try OutcomeStore.save(message, of: payer, in: transaction)
        try ExposureStore.noteConversion(
            of: AppInstall(message.organisation, message.app, message.install), message.experiment,
            message.environment, in: transaction)
        return .applied
    }
}
