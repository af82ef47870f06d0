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
            if known.exposure.isTold(before: new.exposure) { new.exposure = known.exposure }
            guard new != known else { return .applied }
        }
        try UserExposureStore.save(new, of: customer, in: transaction)
        // The exposure, or the one in whose place it stands, is the last one for purchases after it alone.
        let from = min(new.exposure.exposedAt, known?.exposure.exposedAt ?? new.exposure.exposedAt)
        for id in try PurchaseStore.ids(of: customer, field.environment, from: from, in: transaction) {
            try Crediting(id: id, now: context.now).settle(in: [field], transaction, outgoing: &outgoing)
        }
        return .applied
    }
}

extension Exposure {
    /// Of two tellings of one install's exposure the earlier counts; of two of one moment the attested one.
    fileprivate func isTold(before other: Exposure) -> Bool {
        (exposedAt, trust) <= (other.exposedAt, other.trust)
    }
}
