/// The way of an app's users from the first onboarding step to the purchase, as it is shown to people.
///
/// Whoever wants one asks every partition for ``FunnelSteps``, puts them in order with ``steps(adding:)``, asks every
/// partition for ``FunnelCount`` with these, and adds the tallies up.
public struct Funnel: Codable, Sendable, Hashable {
    /// What users reach on their way.
    public struct Stage: Codable, Sendable, Hashable {
        /// `step`, `paywall` or `purchase`.
        public var kind: String
        /// What a step is called.
        public var step: String?
        /// Its declared place.
        public var index: Int?
        /// Users who reached it.
        public var users: Int
        /// Of all users of the funnel, from 0 to 1; absent: there are none.
        public var ofAll: Double?
        /// Of the users who reached the stage before, those who reached this one too, from 0 to 1; absent: of the first
        /// stage, and where nobody reached the one before.
        public var ofBefore: Double?
    }

    /// Users who gave the same answer to a step.
    public struct Answer: Codable, Sendable, Hashable {
        /// What they sent; absent: all other values together.
        public var value: String?
        /// How many they are.
        public var users: Int
        /// How many of them have bought something.
        public var purchased: Int
        /// That as a share, from 0 to 1.
        public var conversion: Double?
    }

    /// Beyond this many steps those that were declared longest ago are left out.
    public static let mostSteps = 200

    /// The app.
    public var app: AppID
    /// Of which environment purchases and exposures count.
    public var environment: StoreEnvironment
    /// Only users whose first event of the funnel was then or later.
    public var from: Timestamp?
    /// Only users whose first event of the funnel was before.
    public var to: Timestamp?
    /// Users in whose funnel anything has happened.
    public var users: Int
    /// The steps in their order, the paywall, the purchase.
    public var stages: [Stage]
    /// Of those who have bought something, how many have got back all that they paid.
    public var refunded: Int
    /// The step whose answers are told.
    public var answersTo: String?
    /// By answer, most users first.
    public var answers: [Answer]?

    /// What `tallies`, one of each partition, are the answers to.
    public init(_ question: FunnelCount, steps: [FunnelStep], adding tallies: some Sequence<FunnelTally>) {
        let empty = FunnelTally(stages: Array(repeating: .init(), count: steps.count + 2))
        let tally = tallies.reduce(empty) { $0.adding($1) }
        app = question.app
        environment = question.environment ?? .production
        from = question.from
        to = question.to
        users = tally.users
        stages = []
        let names = steps.map { ("step", Optional($0)) } + [("paywall", nil), ("purchase", nil)]
        for (place, (stage, (kind, step))) in zip(tally.stages, names).enumerated() {
            stages.append(
                Stage(
                    kind: kind, step: step?.step, index: step?.index, users: stage.users,
                    ofAll: Self.share(stage.users, of: tally.users),
                    ofBefore: place == 0 ? nil : Self.share(stage.fromBefore, of: tally.stages[place - 1].users)))
        }
        refunded = tally.refunded
        answersTo = question.answersTo
        answers =
            question.answersTo == nil
            ? nil
            : (tally.answers ?? []).map {
                Answer(
                    value: $0.value, users: $0.users, purchased: $0.purchased,
                    conversion: Self.share($0.purchased, of: $0.users))
            }
    }

    /// The steps of an app in the order in which they are shown: by declared index, and of the same index by name.
    ///
    /// - Parameter parts: what each partition has heard of. A step that was declared with several indexes has that of its
    ///   newest event; of several at the same time the greatest.
    public static func steps(adding parts: some Sequence<[FunnelStep]>) -> [FunnelStep] {
        var newest: [String: FunnelStep] = [:]
        for step in parts.joined() where newest[step.step].map({ $0.isOlder(than: step) }) ?? true {
            newest[step.step] = step
        }
        return newest.values.sorted { $1.isOlder(than: $0) }.prefix(mostSteps).sorted { left, right in
            left.index != right.index
                ? left.index < right.index : left.step.utf8.lexicographicallyPrecedes(right.step.utf8)
        }
    }

    /// Which of two declarations of a step counts: the newer one; of the same time that with the greater index.
    public static func newer(_ left: FunnelStep, _ right: FunnelStep) -> FunnelStep {
        left.isOlder(than: right) ? right : left
    }

    private static func share(_ part: Int, of whole: Int) -> Double? {
        whole > 0 ? Double(part) / Double(whole) : nil
    }
}

extension FunnelStep {
    /// By the time of the declaration; then by index and name, so that there is one order.
    fileprivate func isOlder(than other: FunnelStep) -> Bool {
        if declaredAt != other.declaredAt { return declaredAt < other.declaredAt }
        if index != other.index { return index < other.index }
        return other.step.utf8.lexicographicallyPrecedes(step.utf8)
    }
}
