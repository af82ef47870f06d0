internal import Messages

/// What an operator may configure.
enum PaywallRules {
    static let mostSKUs = 50
    static let mostPaywalls = 300
    static let mostPlacements = 1_000

    /// What is wrong with a list of offers; nil: nothing.
    ///
    /// - Parameter field: its name in the message.
    static func complaint(about skus: [PaywallSKU], in field: String) -> Refusal? {
        guard skus.count <= mostSKUs else { return .tooMany("offers in a list", mostSKUs) }
        guard skus.allSatisfy({ $0.product.isAcceptable }) else {
            return .fieldInvalid(field, "products of 1 to 256 bytes, none of them zero")
        }
        guard skus.allSatisfy({ PaywallSKU.Kind.all.contains($0.kind) }) else {
            return .fieldInvalid(field, PaywallSKU.Kind.all.map(\.rawValue).joined(separator: " or ") + " as kind")
        }
        guard Set(skus.map(\.product)).count == skus.count else { return .fieldInvalid(field, "each product once") }
        return nil
    }

    /// What is wrong with a paywall; nil: nothing.
    static func complaint(about command: PaywallPut) -> Refusal? {
        guard command.entitlement.isAcceptable else {
            return .fieldInvalid("entitlement", "1 to 256 bytes, none of them zero")
        }
        return complaint(about: command.skus, in: "skus")
    }

    /// What is wrong with a placement; nil: nothing.
    static func complaint(about command: PlacementPut) -> Refusal? {
        guard command.placement.isGood else { return .fieldInvalid("placement", PlacementID.expectation) }
        guard command.entitlement?.isAcceptable ?? true else {
            return .fieldInvalid("entitlement", "1 to 256 bytes, none of them zero")
        }
        return nil
    }
}
