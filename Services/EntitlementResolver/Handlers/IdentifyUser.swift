internal import Erasures
package import Lane
package import Messages
package import SQLite

/// `user.identify.v1`: creates the customer, and keeps each thing that is said of him unless something newer is known.
package struct IdentifyUser: MessageHandler {
    /// How many names of attributes a customer may have had; those taken back count, for they are remembered. Attested
    /// callers have as much room for theirs: else anybody could use it up.
    static let mostAttributes = 1000

    package init() {}

    package func apply(
        _ message: UserIdentify, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        guard message.user.isAcceptable else { return .refused(.identifierUnacceptable) }
        let customer = Customer(message.organisation, message.user)
        guard try !ErasureStore.covers(context.acceptedAt, of: customer, in: transaction) else { return .overtaken }
        try CustomerStore.see(customer, at: context.acceptedAt, in: transaction)

        let trust = context.isFrom(.attestGateway) ? message.trust : .unverified
        let attributes = message.attributes ?? [:]
        if !attributes.isEmpty {
            let count = try CustomerStore.count(
                .attribute, of: customer, adding: attributes.keys, by: trust, in: transaction)
            guard count <= Self.mostAttributes else { return .refused(.tooManyAttributes) }
        }
        var facts = Self.facts(of: message)
        // That an app knows him is told by the edge alone; who makes a claim is named here by his chain's partition.
        let isSighting = facts.isEmpty && context.isFrom(.attestGateway)
        if isSighting { facts = [CustomerStore.Fact(sort: .sighting, name: "", value: nil)] }
        var kept = 0
        for fact in facts {
            let version = FactVersion(context.acceptedAt, context.id)
            kept +=
                try CustomerStore.record(fact, of: customer, version: version, trust: trust, in: transaction) ? 1 : 0
        }
        // That he was named counts however late it comes: he may have been seen earlier than was known.
        return facts.isEmpty || isSighting || kept > 0 ? .applied : .overtaken
    }

    private static func facts(of message: UserIdentify) -> [CustomerStore.Fact] {
        let device = [
            ("platform", message.platform), ("osVersion", message.osVersion), ("deviceModel", message.deviceModel),
            ("locale", message.locale),
        ].compactMap { name, text in
            text.map { CustomerStore.Fact(sort: .device, name: name, value: .text($0)) }
        }
        let attributes = (message.attributes ?? [:]).map { name, value in
            CustomerStore.Fact(sort: .attribute, name: name, value: value == .null ? nil : value)
        }
        return device + attributes
    }
}
