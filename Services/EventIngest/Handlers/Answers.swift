internal import Messages

extension Refusal {
    static let identifierUnacceptable = Refusal(
        "identifier_unacceptable", "Ids of users have 1 to 256 bytes, none of them zero")
    static let tooManyEvents = Refusal("too_many_events", "Up to \(EventRules.mostEvents) events come at once")
    static let tooManyNames = Refusal("too_many_names", "Up to \(EventRules.mostEvents) names are claimed at once")
    static let tooManyReleased = Refusal(
        "too_many_names", "Up to \(EventNameBook.mostReleased) different names of an app are taken back")
}
