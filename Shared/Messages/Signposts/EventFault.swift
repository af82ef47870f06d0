/// Why an event was dropped, or a batch of them; the others of a batch are stored all the same.
public struct EventFault: TextIdentifier, Error {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Its name is not written as names are, or there is none.
    public static let nameInvalid = EventFault(rawValue: "name_invalid")
    /// Its name begins with `rh_`.
    public static let nameReserved = EventFault(rawValue: "name_reserved")
    /// Its name is none of the app's, and the app has used up its names.
    public static let nameOverBudget = EventFault(rawValue: "name_over_budget")
    /// Its name is none of the app's, and only attested callers may claim any.
    public static let nameUnclaimable = EventFault(rawValue: "name_unclaimable")
    /// Its name was taken back by an operator after it was accepted.
    public static let nameReleased = EventFault(rawValue: "name_released")
    /// It names no user.
    public static let userMissing = EventFault(rawValue: "app_user_id_missing")
    /// What names the user is no text of 1 to 256 bytes, none of them zero.
    public static let userInvalid = EventFault(rawValue: "app_user_id_invalid")
    /// The bundle id is not the one that the caller may speak for.
    public static let bundleWrong = EventFault(rawValue: "bundle_id_wrong")
    /// Its own id is no text of 1 to 256 bytes, none of them zero.
    public static let idInvalid = EventFault(rawValue: "id_invalid")
    /// `at` is no time.
    public static let timeInvalid = EventFault(rawValue: "at_invalid")
    /// The properties are no object of texts, numbers, true, false and null.
    public static let propertiesNotFlat = EventFault(rawValue: "properties_not_flat")
    /// The properties are longer than ``EventRules/mostPropertyBytes``.
    public static let propertiesTooLong = EventFault(rawValue: "properties_too_long")
    /// A NUL character is in the properties, which cuts texts short in C libraries and in SQL.
    public static let propertiesNUL = EventFault(rawValue: "properties_nul")
    /// An `onboarding_step` without a `step` that is written as names are.
    public static let stepInvalid = EventFault(rawValue: "step_invalid")
    /// An `onboarding_step` without an `index` of 0 to 99.
    public static let indexInvalid = EventFault(rawValue: "index_invalid")
    /// An `onboarding_step` whose `value` is no text of up to 64 bytes.
    public static let valueInvalid = EventFault(rawValue: "value_invalid")

    /// All of this release.
    public static let all = [
        nameInvalid, nameReserved, nameOverBudget, nameUnclaimable, nameReleased, userMissing, userInvalid, bundleWrong,
        idInvalid, timeInvalid, propertiesNotFlat, propertiesTooLong, propertiesNUL, stepInvalid, indexInvalid,
        valueInvalid,
    ]
}
