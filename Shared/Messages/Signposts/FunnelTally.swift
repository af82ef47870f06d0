/// How far users have come, as counts that add up over partitions: no user is in two of them.
public struct FunnelTally: Codable, Sendable, Hashable {
    /// A stage: a step, the paywall, or the purchase.
    public struct Stage: Codable, Sendable, Hashable {
        /// Users who reached it.
        public var users: Int
        /// Those of them who also reached the stage before; of the first stage all of them.
        public var fromBefore: Int

        /// A stage of these.
        public init(users: Int = 0, fromBefore: Int = 0) {
            self.users = users
            self.fromBefore = fromBefore
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
        sum.users += other.users
        sum.refunded += other.refunded
        for (index, stage) in zip(sum.stages.indices, other.stages) {
            sum.stages[index].users += stage.users
            sum.stages[index].fromBefore += stage.fromBefore
        }
        if let answers = other.answers { sum.answers = Self.bounded((sum.answers ?? []) + answers) }
        return sum
    }

    /// One of each value, most users first; those that are too many become one without a value.
    public static func bounded(_ answers: some Sequence<Answer>) -> [Answer] {
        var byValue: [String: Answer] = [:]
        var others = Answer(value: nil, users: 0, purchased: 0)
        for answer in answers {
            guard let value = answer.value else {
                others.add(answer)
                continue
            }
            byValue[value, default: Answer(value: value, users: 0, purchased: 0)].add(answer)
        }
        let sorted = byValue.values.sorted { left, right in
            left.users != right.users
                ? left.users > right.users : (left.value ?? "").utf8.lexicographicallyPrecedes((right.value ?? "").utf8)
        }
        for answer in sorted.dropFirst(mostAnswers) { others.add(answer) }
        return sorted.prefix(mostAnswers) + (others.users > 0 ? [others] : [])
    }
}

extension FunnelTally.Answer {
    fileprivate mutating func add(_ other: Self) {
        users += other.users
        purchased += other.purchased
    }
}
