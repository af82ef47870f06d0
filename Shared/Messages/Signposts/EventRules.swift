/// What makes an event good: the same for whoever takes it from a caller and for whoever stores it.
public enum EventRules {
    /// How many events come at once.
    public static let mostEvents = 50
    /// Length of the properties, as JSON.
    public static let mostPropertyBytes = 2048
    /// How far back an event may lie.
    public static let window = Duration.seconds(7 * 86_400)
    /// Length of a step's value.
    static let mostValueBytes = 64
    /// Length of a time as it was sent.
    static let mostTimeBytes = 64

    /// What is wrong with an event as such; nil: nothing. The length of its properties is for those to measure who have
    /// them as they were sent, and whether its name is the app's for those who know the app's names.
    public static func fault(of event: SignpostEvent) -> EventFault? {
        if let fault = event.unreadable { return fault }
        guard event.name.isWellFormed else { return .nameInvalid }
        guard !event.name.isReserved else { return .nameReserved }
        if let id = event.id, !(1...256).contains(id.utf8.count) || id.utf8.contains(0) { return .idInvalid }
        if let text = event.sentAt, !(1...mostTimeBytes).contains(text.utf8.count) || text.utf8.contains(0) {
            return .timeInvalid
        }
        if event.properties?.contains(where: { $0.utf8.contains(0) || $1.hasNUL }) == true { return .propertiesNUL }
        return event.name == .onboardingStep ? OnboardingStep.read(event.properties ?? [:]).fault : nil
    }

    /// When an event happened, as far as that is believed: within the 7 days before it was accepted.
    ///
    /// - Parameter time: as the caller says; nil: he does not.
    public static func clamped(_ time: Timestamp?, acceptedAt: Timestamp) -> Timestamp {
        guard let time else { return acceptedAt }
        return min(max(time, acceptedAt - window), acceptedAt)
    }
}

/// A step of an app's onboarding that a user was shown: the properties of an event named `onboarding_step`.
public struct OnboardingStep: Sendable, Hashable {
    /// What the step is called.
    public var step: String
    /// Its place in the order, 0 to 99.
    public var index: Int
    /// What the user chose there; nil: nothing.
    public var value: String?

    /// A step of these.
    public init(step: String, index: Int, value: String? = nil) {
        self.step = step
        self.index = index
        self.value = value
    }

    /// Reads it from an event's properties; further members are the app's own.
    public static func read(_ properties: [String: AttributeValue]) -> Reading {
        guard case .text(let step)? = properties["step"], step.isSnakeCase(upTo: 48) else {
            return .fault(.stepInvalid)
        }
        guard let index = properties["index"]?.wholeNumber, (0...99).contains(index) else {
            return .fault(.indexInvalid)
        }
        switch properties["value"] {
        case nil, .null: return .step(OnboardingStep(step: step, index: index))
        case .text(let value) where value.utf8.count <= EventRules.mostValueBytes:
            return .step(OnboardingStep(step: step, index: index, value: value))
        default: return .fault(.valueInvalid)
        }
    }

    /// What reading gave.
    public enum Reading: Sendable, Hashable {
        /// A good step.
        case step(OnboardingStep)
        /// What is wrong with it.
        case fault(EventFault)

        /// What is wrong; nil: nothing.
        public var fault: EventFault? { if case .fault(let fault) = self { fault } else { nil } }
        /// The step, if it is good.
        public var step: OnboardingStep? { if case .step(let step) = self { step } else { nil } }
    }
}

extension AttributeValue {
    fileprivate var hasNUL: Bool { if case .text(let text) = self { text.utf8.contains(0) } else { false } }

    /// `3` and `3.0` are the same number.
    fileprivate var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(number)
        case .number(let number): Int(exactly: number)
        case .text, .flag, .null: nil
        }
    }
}
