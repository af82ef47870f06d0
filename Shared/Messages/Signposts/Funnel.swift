/// The way of an app's users from the first onboarding step to the purchase, as it is shown to people.
///
/// Whoever wants one makes a ``FunnelSurvey``.
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
        /// stage, and where nobody reached the one before. Steps of one index are one stage in this.
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

    /// Beyond this many steps those that attested callers told of for the fewest users are left out, and before them those
    /// that no attested caller told of.
    public static let mostSteps = 200

    /// The app.
    public var app: AppID
    /// Of which environment purchases and exposures count.
    public var environment: StoreEnvironment
    /// Only users whose first event of the funnel was then or later.
    public var from: Timestamp?
    /// Only users whose first event of the funnel was before.
    public var to: Timestamp?
    /// Only what callers of this trust told; absent: all.
    public var trust: Trust?
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
        trust = question.trust
        users = tally.users
        stages = []
        let names = steps.map { ("step", Optional($0)) } + [("paywall", nil), ("purchase", nil)]
        for (place, (stage, (kind, step))) in zip(tally.stages, names).enumerated() {
            // Of several first steps none comes after another one.
            let isFirst = place == 0 || (step != nil && step?.index == steps.first?.index)
            stages.append(
                Stage(
                    kind: kind, step: step?.step, index: step?.index, users: stage.users,
                    ofAll: Self.share(stage.users, of: tally.users),
                    ofBefore: isFirst ? nil : Self.share(ofBefore: place, in: tally)))
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
    ///   newest event of an attested caller, or of any if there is none; of several at the same time the greatest.
    public static func steps(adding parts: some Sequence<[FunnelStep]>) -> [FunnelStep] {
        var sums: [String: FunnelStep] = [:]
        for step in parts.joined() { sums[step.step] = sums[step.step]?.adding(step) ?? step }
        return sums.values.sorted { $0.comesBefore($1) }.prefix(mostSteps).sorted { left, right in
            left.index != right.index
                ? left.index < right.index : left.step.utf8.lexicographicallyPrecedes(right.step.utf8)
        }
    }

    /// Of a stage that is not the first.
    private static func share(ofBefore place: Int, in tally: FunnelTally) -> Double? {
        share(tally.stages[place].fromBefore, of: tally.stages[place].before ?? tally.stages[place - 1].users)
    }

    private static func share(_ part: Int, of whole: Int) -> Double? {
        whole > 0 ? Double(part) / Double(whole) : nil
    }
}

extension FunnelStep {
    /// The same step as another partition has heard of it too.
    fileprivate func adding(_ other: FunnelStep) -> FunnelStep {
        var sum = isOlder(than: other) ? other : self
        sum.users = Self.sum(users, other.users)
        sum.attestedUsers = Self.sum(attestedUsers, other.attestedUsers)
        return sum
    }

    private static func sum(_ left: Int?, _ right: Int?) -> Int? {
        guard var sum = left ?? right else { return nil }
        if left != nil, let right { sum.add(right) }
        return sum
    }

    /// Whose index counts: that of an attested caller, then the newer one, then the greater.
    private func isOlder(than other: FunnelStep) -> Bool {
        if isAttested ?? false != other.isAttested ?? false { return other.isAttested ?? false }
        if declaredAt != other.declaredAt { return declaredAt < other.declaredAt }
        return index < other.index
    }

    /// Which is shown rather, if not all are: what most users were shown, first by what attested callers say.
    fileprivate func comesBefore(_ other: FunnelStep) -> Bool {
        if attestedUsers ?? 0 != other.attestedUsers ?? 0 { return attestedUsers ?? 0 > other.attestedUsers ?? 0 }
        if users ?? 0 != other.users ?? 0 { return users ?? 0 > other.users ?? 0 }
        // Of a partition that does not say.
        if declaredAt != other.declaredAt { return declaredAt > other.declaredAt }
        return step.utf8.lexicographicallyPrecedes(other.step.utf8)
    }
}
