internal import Messages
internal import Messaging

extension MessageFault {
    /// The registry's news of the app have not come yet, or it does not exist: the ladder waits for them.
    static func unknownApp(_ app: App) -> MessageFault {
        .forNow("app_unknown", "the app \(app.id) of \(app.organisation) is not known here")
    }
}

extension Refusal {
    static let identifierUnacceptable = Refusal(
        "identifier_unacceptable", "Ids of users have 1 to 256 bytes, none of them zero")
    static let appUnknown = Refusal("app_unknown", "There is no such app")
    static let tooManyEvents = Refusal("too_many_events", "Up to \(EventRules.mostEvents) events come at once")
    static let tooManyNames = Refusal("too_many_names", "Up to \(EventRules.mostEvents) names are claimed at once")
}
