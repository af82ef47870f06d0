package import Lane
package import Messages
package import SQLite

/// `mapping.changed.v1`, in every partition: keeps this version of the mapping; the highest one counts.
package struct ProjectMapping: MessageHandler {
    package init() {}

    package func apply(
        _ message: MappingChanged, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try Self.keep(message.mapping, at: context.now, in: transaction)
        return .applied
    }

    /// Keeps it; whoever holds the product is looked at later, a few at a time: a product may have many holders.
    static func keep(_ mapping: ProductMapping, at now: Timestamp, in transaction: borrowing Transaction) throws {
        if try MappingStore.record(mapping, knownAt: now, in: transaction) {
            try ReassessmentStore.ask(mapping.organisation, mapping.product, at: now, in: transaction)
        }
    }
}
