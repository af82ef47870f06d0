package import Lane
package import Messages
package import SQLite

/// `mapping.set.v1`, in the partition of the app: keeps the mapping and tells all partitions.
package struct SetMapping: MessageHandler {
    static let mostEntitlements = 100

    package init() {}

    package func apply(
        _ message: MappingSet, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<ProductMapping> {
        guard message.product.isAcceptable, message.entitlements.allSatisfy(\.isAcceptable) else {
            return .refused(.identifierUnacceptable)
        }
        guard message.entitlements.count <= Self.mostEntitlements else { return .refused(.tooManyEntitlements) }
        guard try AppStore.current(message.app, of: message.organisation, in: transaction) != nil else {
            return .refused(.appUnknown)
        }
        let isNewest = try MappingStore.note(
            message, version: FactVersion(context.acceptedAt, context.id), bucket: context.bucket, in: transaction)
        let current = try MappingStore.current(
            message.product, of: message.app, of: message.organisation, in: transaction)
        let entitlements = Set(message.entitlements).sorted()
        if let current, !isNewest || current.entitlements == entitlements { return .applied(current) }

        let version = try MappingStore.version(of: message.app, of: message.organisation, in: transaction) + 1
        let mapping = ProductMapping(
            organisation: message.organisation, app: message.app, product: message.product,
            entitlements: entitlements, version: version, changedAt: context.acceptedAt)
        try ProjectMapping.keep(mapping, at: context.now, in: transaction)
        try outgoing.publish(MappingChanged(mapping: mapping))
        let what = entitlements.isEmpty ? "nothing" : entitlements.map(\.rawValue).joined(separator: ", ")
        try context.note(
            .mapProduct, "\(Key.app(message.organisation, message.app)) \(message.product) unlocks \(what)",
            in: transaction)
        return .applied(mapping)
    }
}
