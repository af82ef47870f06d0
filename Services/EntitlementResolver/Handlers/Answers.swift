internal import Messages
internal import Messaging

extension MessageFault {
    /// The registry's news of the app have not come yet, or it does not exist: the ladder waits for them.
    static func unknownApp(_ app: AppID, of organisation: OrganisationID) -> MessageFault {
        .forNow("app_unknown", "the app \(app) of \(organisation) is not known here")
    }
}

extension Refusal {
    static let identifierUnacceptable = Refusal(
        "identifier_unacceptable", "Ids of users, transactions and products have 1 to 256 bytes, none of them zero")
    static let appUnknown = Refusal("app_unknown", "There is no such app")
    static let userUnknown = Refusal("user_unknown", "Nobody has named this user")
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
