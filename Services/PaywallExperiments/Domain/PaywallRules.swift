internal import Messages

/// What an operator may configure.
enum PaywallRules {
    static let mostPaywalls = 300
    static let mostPlacements = 1_000

    /// What is wrong with a list of offers; nil: nothing.
    ///
    /// - Parameter field: its name in the message.
    static func complaint(about skus: [PaywallSKU], in field: String) -> Refusal? {
        guard skus.count <= PaywallSKU.mostOffers else {
            return .tooMany("offers in a list", PaywallSKU.mostOffers)
        }
        guard skus.allSatisfy({ $0.product.isConfigurable }) else {
            return .fieldInvalid(field, "products of " + ProductID.expectationOfConfigurable)
        }
        guard skus.allSatisfy({ PaywallSKU.Kind.all.contains($0.kind) }) else {
            return .fieldInvalid(field, PaywallSKU.Kind.all.map(\.rawValue).joined(separator: " or ") + " as kind")
        }
        guard Set(skus.map(\.product)).count == skus.count else { return .fieldInvalid(field, "each product once") }
        return nil
    }

    /// What is wrong with a paywall; nil: nothing.
    static func complaint(about command: PaywallPut) -> Refusal? {
        if let complaint = complaint(about: command.entitlement) { return complaint }
        return complaint(about: command.skus, in: "skus")
    }

    /// What is wrong with a placement; nil: nothing.
    static func complaint(about command: PlacementPut) -> Refusal? {
        guard command.placement.isGood else { return .fieldInvalid("placement", PlacementID.expectation) }
        return command.entitlement.flatMap(complaint(about:))
    }

    /// What is wrong with an entitlement that something is to be configured for; nil: nothing.
    static func complaint(about entitlement: EntitlementID) -> Refusal? {
        entitlement.isConfigurable ? nil : .fieldInvalid("entitlement", EntitlementID.expectationOfConfigurable)
    }
}
