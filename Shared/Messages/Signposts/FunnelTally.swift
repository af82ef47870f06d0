/// How far users have come, as counts that add up over partitions: no user is in two of them.
public struct FunnelTally: Codable, Sendable, Hashable {
    /// A stage: a step, the paywall, or the purchase.
    public struct Stage: Codable, Sendable, Hashable {
        /// Users who reached it.
        public var users: Int
        /// Those of them who also reached the stage before; of the first stage all of them. Of steps with one index the
        /// stage before is that before all of them.
        public var fromBefore: Int
        /// Those who reached the stage before, of several with one index any of them; absent: as many as the stage before
        /// this one tells (tellers before 0.2.0).
        public var before: Int?

        /// A stage of these.
        public init(users: Int = 0, fromBefore: Int = 0, before: Int? = nil) {
            self.users = users
            self.fromBefore = fromBefore
            self.before = before
        }
    }

    /// Users who gave the same answer.
    public struct Answer: Codable, Sendable, Hashable {
        /// The value that they sent last with the step; absent: all other values together.
        public var value: String?
        /// How many they are.
        public var users: Int
        /// How many of them have bought something.
        public var purchased: Int

        /// An answer of these.
        public init(value: String?, users: Int, purchased: Int) {
            self.value = value
            self.users = users
            self.purchased = purchased
        }
    }

    /// How many different values are told one by one.
    public static let mostAnswers = 1000

    /// Users in whose funnel anything has happened, in the time asked about.
    public var users: Int
    /// Of each step asked about, in that order; then the paywall; then the purchase.
    public var stages: [Stage]
    /// Of those who have bought something, how many have got back all that they paid.
    public var refunded: Int
    /// By value, up to ``mostAnswers`` and one for all the others; absent where they were not asked for.
    public var answers: [Answer]?

    /// A tally of these.
    public init(users: Int = 0, stages: [Stage], refunded: Int = 0, answers: [Answer]? = nil) {
        self.users = users
        self.stages = stages
        self.refunded = refunded
        self.answers = answers
    }

    /// Both together.
    ///
    /// - Precondition: both answer the same question; of another one only the stages that both have are added.
    public func adding(_ other: FunnelTally) -> FunnelTally {
        var sum = self
        sum.users.add(other.users)
        sum.refunded.add(other.refunded)
        for (index, stage) in zip(sum.stages.indices, other.stages) { sum.stages[index].add(stage) }
        if let answers = other.answers { sum.answers = Self.bounded((sum.answers ?? []) + answers) }
        return sum
    }

    /// One of each value, most users first; those that are too many become one without a value.
    public static func bounded(_ answers: some Sequence<Answer>) -> [Answer] {
        // By bytes: as texts é and e with an accent are the same.
        var byValue: [[UInt8]: Answer] = [:]
        var others = Answer(value: nil, users: 0, purchased: 0)
        for answer in answers {
            guard let value = answer.value else {
                others.add(answer)
                continue
            }
            byValue[Array(value.utf8), default: Answer(value: value, users: 0, purchased: 0)].add(answer)
        }
        let sorted = byValue.values.sorted { left, right in
            left.users != right.users
                ? left.users > right.users : (left.value ?? "").utf8.lexicographicallyPrecedes((right.value ?? "").utf8)
        }
        for answer in sorted.dropFirst(mostAnswers) { others.add(answer) }
        return sorted.prefix(mostAnswers) + (others.users > 0 ? [others] : [])
    }
}

extension FunnelTally.Stage {
    fileprivate mutating func add(_ other: Self) {
        users.add(other.users)
        fromBefore.add(other.fromBefore)
        guard let more = other.before else { return }
        var sum = before ?? 0
        sum.add(more)
        before = sum
    }
}

extension FunnelTally.Answer {
    fileprivate mutating func add(_ other: Self) {
        users.add(other.users)
        purchased.add(other.purchased)
    }
}

extension Int {
    /// Adds what came from outside: a sum that is too great or too small stays at the end.
    mutating func add(_ other: Int) {
        let (sum, hasOverflown) = addingReportingOverflow(other)
        self = hasOverflown ? (other < 0 ? .min : .max) : sum
    }
}
