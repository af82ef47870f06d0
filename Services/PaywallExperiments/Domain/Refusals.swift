internal import Messages

extension Refusal {
    /// What is wrong with a field, by its name in the message.
    static func fieldInvalid(_ field: String, _ expectation: String) -> Refusal {
        Refusal("field_invalid", "\(field): expected \(expectation)")
    }

    static let identifierUnacceptable = Refusal(
        "identifier_unacceptable", "Ids of installs, users and entitlements have 1 to 256 bytes, none of them zero")
    static let overtaken = Refusal("overtaken", "Something was said about it later already")
    static let experimentUnknown = Refusal("experiment_unknown", "The app has no such experiment")
    static let experimentExists = Refusal("experiment_exists", "The app has an experiment of this id already")
    static let experimentStopped = Refusal("experiment_stopped", "The experiment is stopped, and that is for good")
    static let paywallUnknown = Refusal(
        "paywall_unknown", "The entitlement has no paywall, and whoever takes no part would be offered nothing")
    static let windowFixed = Refusal(
        "window_fixed", "The conversion window is fixed once an experiment has run: its results were read under it")

    static func versionChanged(_ version: Int) -> Refusal {
        Refusal("version_changed", "It is at version \(version) by now")
    }
    static func anotherRunning(_ experiment: ExperimentID) -> Refusal {
        Refusal("another_running", "The experiment \(experiment) runs on this paywall, and has to be stopped first")
    }
    static func variantFixed(_ variant: VariantKey) -> Refusal {
        Refusal(
            "variant_fixed",
            "The variant \(variant) keeps its offers, for somebody may have been assigned to it: others need a new name"
        )
    }
    static func controlFixed(_ control: VariantKey) -> Refusal {
        Refusal("control_fixed", "\(control) stays the control, the first of the arms: others are compared with it")
    }
    static func tooMany(_ what: String, _ most: Int) -> Refusal { Refusal("too_many", "Up to \(most) \(what)") }
}
