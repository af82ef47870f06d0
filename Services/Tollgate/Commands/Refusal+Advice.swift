internal import Messages

extension Refusal {
    /// What helps against some of them, by reason, as a sentence without its full stop.
    static let remedies = [
        "another_running": "tollgate experiments stop ends it, for good",
        "app_unknown": "tollgate apps list names those that are connected",
        "experiment_unknown": "tollgate experiments list names them",
        "key_unknown": "tollgate keys list names them",
        "paywall_unknown": "tollgate paywalls set says what it offers",
        "user_unknown": "is it the id that the app sends? Whoever was erased is unknown, too",
    ]

    /// What helps, where that is known.
    var advice: String? { Self.remedies[reason] }
}
