internal import Messages

/// A question that every partition of a service answers, a page at a time.
protocol PagedQuestion: AddressedMessage, NamingPartition where Value: AnswerPage {
    var partition: Int { get set }
    /// Where the page before ended; nil: from the beginning on.
    var after: Value.Cursor? { get set }
}

/// A page of what a partition keeps.
protocol AnswerPage {
    associatedtype Cursor: LosslessStringConvertible, Equatable, Sendable
    /// Where the next page begins; nil: this is the last one.
    var next: Cursor? { get }
    /// How much was looked at for it; decides how fast a walk with a rate goes.
    var looked: Int { get }
}

extension AnswerPage {
    var looked: Int { 0 }
}

/// How far a walk has come, as it is written: `3` or `3:acme/…`.
struct WalkPosition: Sendable, Equatable, CustomStringConvertible {
    var partition: Int
    /// Behind what; nil: from the first on.
    var after: String?

    var description: String { after.map { "\(partition):\($0)" } ?? "\(partition)" }

    init(partition: Int, after: String? = nil) {
        self.partition = partition
        self.after = after
    }

    /// As it is written.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let partition = parts.first.flatMap({ Int($0) }), (0..<Bucket.count).contains(partition) else {
            return nil
        }
        self.init(partition: partition, after: parts.count > 1 ? parts[1] : nil)
    }

    /// The option of a command whose walk can go on where one has stopped.
    static let option = Option<WalkPosition>(
        "--from", "POSITION", "Go on where a walk has stopped, as it said", expectation: "a position such as 3:acme/…",
        parse: WalkPosition.init)
}

/// Goes through what every partition of a service keeps, page by page.
struct PartitionWalk<Question: PagedQuestion>: Sendable {
    let partitions: ServicePartitions
    private let question: Question
    private let rate: Int?

    /// - Parameters:
    ///   - question: the walk names partition and place.
    ///   - rate: how much is looked at in a second, at most; nil: as fast as it is answered.
    /// - Throws: ``ToolFailure``.
    init(_ question: Question, _ conversation: Conversation, rate: Int? = nil) async throws {
        partitions = try await ServicePartitions(of: Question.recipient, conversation)
        self.question = question
        self.rate = rate
    }

    /// Visits every page, until `visit` says that it has seen enough.
    ///
    /// - Parameters:
    ///   - only: the one partition to go through; nil: all of them.
    ///   - visit: takes a page, and where the walk goes on behind it; nil: it ends.
    /// - Throws: ``ToolFailure``, or what `visit` throws.
    func run(in only: Int? = nil, visit: (Question.Value, WalkPosition?) async throws -> Bool) async throws {
        var position = WalkPosition(partition: only ?? 0)
        try await run(in: only, at: &position, visit: visit)
    }

    /// The same, for a command with ``WalkPosition/option``: a failure says from where to go on.
    func resumable(
        in only: Int? = nil, from start: WalkPosition?, visit: (Question.Value, WalkPosition?) async throws -> Bool
    ) async throws {
        var position = start ?? WalkPosition(partition: only ?? 0)
        do {
            try await run(in: only, at: &position, visit: visit)
        } catch {
            let cause = error as? ToolFailure ?? ToolFailure(.failed, "\(error)")
            throw ToolFailure(
                cause.status, cause.description, advice: "what was done stays done; --from \(position) goes on")
        }
    }

    private func run(
        in only: Int?, at position: inout WalkPosition, visit: (Question.Value, WalkPosition?) async throws -> Bool
    ) async throws {
        let end = only.map { $0 + 1 } ?? partitions.count
        guard end <= partitions.count else {
            throw ToolFailure(.failed, "\(Question.recipient) has no partition \(end - 1): it has \(partitions.count)")
        }
        if let only, position.partition < only { position = WalkPosition(partition: only) }
        while position.partition < end {
            let started = ContinuousClock.now
            var question = question
            question.partition = position.partition
            question.after = try position.after.map(Self.cursor)
            let page = try await partitions.ask(question)
            guard page.next == nil || page.next != question.after else {
                throw ToolFailure(.failed, "\(partitions.service).\(position.partition) goes round in circles")
            }
            let next =
                page.next.map { WalkPosition(partition: position.partition, after: "\($0)") }
                ?? WalkPosition(partition: position.partition + 1)
            guard try await visit(page, next.partition < end ? next : nil) else { return }
            position = next
            if let rate, position.partition < end {
                // The services have other work: the rate that was asked for is kept by waiting.
                try await Task.sleep(until: started + .seconds(1) * Double(page.looked) / Double(rate))
            }
        }
    }

    private static func cursor(_ text: String) throws -> Question.Value.Cursor {
        guard let cursor = Question.Value.Cursor(text) else {
            throw ToolFailure(.usage, "\(text) is no place at which \(Question.recipient) could go on")
        }
        return cursor
    }
}

extension ArtifactsPage: PagedQuestion {}
extension ArtifactsPage.Value: AnswerPage {}
extension HoldingsPage: PagedQuestion {}
extension HoldingsPage.Value: AnswerPage {}
extension LinksContested: PagedQuestion {}
extension LinksContested.Value: AnswerPage {}
extension LinksResend: PagedQuestion {}
extension LinksResend.Value: AnswerPage {}
