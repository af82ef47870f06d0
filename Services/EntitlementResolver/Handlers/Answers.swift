internal import Messages

extension Refusal {
    static let identifierUnacceptable = Refusal(
        "identifier_unacceptable", "Ids of users, transactions and products have 1 to 256 bytes, none of them zero")
    static let tooManyAttributes = Refusal(
        "too_many_attributes", "A user has up to \(IdentifyUser.mostAttributes) attributes")
    static let tooManyEntitlements = Refusal(
        "too_many_entitlements", "A product unlocks up to \(SetMapping.mostEntitlements) entitlements")
}

extension Refusal {
    static let holderChanged = Refusal("holder_changed", "The chain is not whose it was when you looked")
    static let claimantUnknown = Refusal("claimant_unknown", "He has never claimed the chain")
    static let notPinned = Refusal("not_pinned", "No operator has pinned it")
}
