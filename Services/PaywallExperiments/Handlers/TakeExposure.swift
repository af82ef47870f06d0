internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `paywall.exposed.v1`, in the user's partition: what he buys from then on may count for it.
package struct TakeExposure: MessageHandler {
    package init() {}

    package func apply(
        _ message: PaywallExposed, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let customer = Customer(message.organisation, message.user)
        guard try !ErasureStore.covers(message.namedAt, of: customer, in: transaction) else { return .overtaken }
        let field = Exposure.Field(
            app: message.app, experiment: message.experiment, environment: message.environment)
        let known = try UserExposureStore.row(of: customer, field, message.install, in: transaction)
        var new = UserExposureStore.Row(
            exposure: Exposure(
                field: field, trust: message.trust.asCaller, install: message.install, variant: message.variant,
                epoch: message.epoch,
                exposedAt: message.exposedAt), namedAt: message.namedAt)
        if let known {
            new.namedAt = min(known.namedAt, new.namedAt)
            if !new.exposure.counts(before: known.exposure) { new.exposure = known.exposure }
            guard new != known else { return .applied }
        }
        try UserExposureStore.save(new, insteadOf: known, of: customer, in: transaction)
        guard new.exposure != known?.exposure else { return .applied }
        // What counts for it, and what has counted for the one in whose place it stands; not all that he has ever bought:
        // any number of installs may go under one name.
        var ids: Set<PurchaseStore.ID> = []
        for exposure in [known?.exposure, new.exposure].compactMap(\.self) {
            let reach = try UserExposureStore.reach(of: exposure, customer, in: transaction)
            ids.formUnion(
                try PurchaseStore.ids(
                    of: customer, field.environment, from: reach.from, to: reach.to, in: transaction))
        }
        for id in ids.sorted(by: { ($0.realm, $0.transaction) < ($1.realm, $1.transaction) }) {
            try Crediting(id: id, now: context.now).settle(in: [field], transaction, outgoing: &outgoing)
        }
        return .applied
    }
}
