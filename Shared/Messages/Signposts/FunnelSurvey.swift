/// The two rounds of questions behind a ``Funnel``: every partition of event-ingest tells its steps, and then the counts of
/// all of them. Each round asks all partitions at once; there are no more than buckets.
public struct FunnelSurvey: Sendable {
    /// What the first round has brought.
    public struct Steps: Sendable {
        /// In their order.
        public var steps: [FunnelStep]
        /// How many partitions there are.
        public var partitions: Int
    }

    private let question: FunnelCount
    private let askSteps: @Sendable (FunnelSteps) async throws -> FunnelSteps.Value
    private let askCount: @Sendable (FunnelCount) async throws -> FunnelTally

    /// - Parameters:
    ///   - question: what is counted; partition, steps and their places are the survey's.
    ///   - askSteps: puts the first question to the partition that it names.
    ///   - askCount: and the second.
    public init(
        _ question: FunnelCount, askSteps: @escaping @Sendable (FunnelSteps) async throws -> FunnelSteps.Value,
        askCount: @escaping @Sendable (FunnelCount) async throws -> FunnelTally
    ) {
        self.question = question
        self.askSteps = askSteps
        self.askCount = askCount
    }

    /// The first round: which steps there are. The first partition says how many more there are.
    ///
    /// - Throws: what asking throws.
    public func steps() async throws -> Steps {
        let ask = { @Sendable (partition: Int) in
            try await askSteps(
                FunnelSteps(
                    partition: partition, organisation: question.organisation, app: question.app,
                    trust: question.trust))
        }
        let first = try await ask(0)
        let partitions = min(max(first.partitions, 1), Bucket.count)
        let others = try await Self.all(1..<partitions, ask)
        return Steps(steps: Funnel.steps(adding: ([first] + others).map(\.steps)), partitions: partitions)
    }

    /// The second: how many users came how far.
    ///
    /// - Throws: what asking throws.
    public func funnel(by found: Steps) async throws -> Funnel {
        var question = question
        question.steps = found.steps.map(\.step)
        question.indices = found.steps.map(\.index)
        let tallies = try await Self.all(0..<found.partitions) { [question] partition in
            var question = question
            question.partition = partition
            return try await askCount(question)
        }
        return Funnel(question, steps: found.steps, adding: tallies)
    }

    private static func all<Value: Sendable>(
        _ partitions: Range<Int>, _ ask: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for partition in partitions { group.addTask { try await ask(partition) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
