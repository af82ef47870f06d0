internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite
internal import Synchronization

/// Answers a partition's queries from reader connections, and applies its requests as the lane does.
///
/// What has arrived together is answered from one snapshot. Lengthy queries stand in a line, operators in another, and of
/// each one is in work at a time, so that the others find a reader.
struct QueryDesk: Sendable {
    let lane: Lane
    private let operators: OperatorDesk

    init(lane: Lane) {
        self.lane = lane
        operators = OperatorDesk(lane: lane)
    }

    /// How many batches of queries are in work at a time.
    private static let readers = 2
    /// How many batches of requests are.
    private static let writers = 8

    private enum Work {
        case queries
        case requests
        case line
    }

    func run(_ subscription: any Subscription) async throws {
        let (lengthy, operators) = (Line(), Line())
        try await withThrowingTaskGroup(of: Work.self) { group in
            defer {
                lengthy.end()
                operators.end()
            }
            for line in [lengthy, operators] {
                group.addTask {
                    for await question in line.questions where !line.isOver { await answerAlone(question) }
                    return .line
                }
            }
            var (queries, requests) = (0, 0)
            func oneEnds() async throws {
                switch try await group.next() {
                case .queries: queries -= 1
                case .requests: requests -= 1
                case .line, nil: break
                }
            }
            while let deliveries = try await subscription.next(upTo: 64, bytes: 8 << 20) {
                // Transient: whoever asked asks again, or says 503.
                await subscription.settle(deliveries, .acknowledge)
                let sorted = Dictionary(grouping: deliveries.map { Question($0) }, by: sort)
                for question in sorted[.lengthy] ?? [] { await enqueue(question, in: lengthy) }
                for question in sorted[.operators] ?? [] { await enqueue(question, in: operators) }
                if let portion = sorted[.request] {
                    while requests == Self.writers { try await oneEnds() }
                    requests += 1
                    group.addTask {
                        await apply(portion.map(\.delivery))
                        return .requests
                    }
                }
                if let portion = sorted[.quick] {
                    while queries == Self.readers { try await oneEnds() }
                    queries += 1
                    group.addTask {
                        await answer(portion)
                        return .queries
                    }
                }
            }
        }
    }

    private enum Sort {
        case request
        case quick
        case lengthy
        /// What operators ask for, who go through whole tables, and change some of them.
        case operators
    }

    private func sort(_ question: Question) -> Sort {
        guard let kind = question.kind else { return .operators }
        if lane.handlers.messages[kind]?.description.role == .request { return .request }
        return lane.handlers.queries[kind].map { $0.isLengthy ? .lengthy : .quick } ?? .operators
    }

    private func enqueue(_ question: Question, in line: Line) async {
        guard !line.add(question) else { return }
        await send([(question.delivery, .failed(.forNow(.tookTooLong, "Too many such questions wait already")))])
    }

    // MARK: Requests

    private func apply(_ requests: [Delivery]) async {
        do {
            try await lane.take(requests: requests)
        } catch {
            let fault = MessageFault.forNow(.failed, "The store takes no writes: \(error)")
            await send(requests.map { ($0, StoredAnswer.failed(fault)) })
        }
    }

    // MARK: Queries

    /// How long one snapshot is looked at before what has been answered is sent, and a newer one is taken.
    private static let patience = Duration.milliseconds(5)

    private func answer(_ questions: [Question]) async {
        var rest = questions[...]
        while !rest.isEmpty {
            let portion = rest
            do {
                let (answers, count) = try await lane.database.read { snapshot in
                    var answers: [(Delivery, StoredAnswer)] = []
                    let start = ContinuousClock.now
                    for (index, question) in portion.enumerated() {
                        if let answer = answer(question, from: snapshot) { answers.append((question.delivery, answer)) }
                        if .now - start > Self.patience { return (answers, index + 1) }
                    }
                    return (answers, portion.count)
                }
                rest = rest.dropFirst(count)
                await send(answers)
            } catch {
                await send(rest.map { ($0.delivery, failure(error, of: $0)) })
                return
            }
        }
    }

    /// Nil: its asker has gone.
    private func answer(_ question: Question, from snapshot: borrowing Snapshot) -> StoredAnswer? {
        guard isAwaited(question) else { return nil }
        do {
            let handler = try handler(of: question)
            return try snapshot.until(question.deadline) { try handler.answer(question.delivery.envelope.body, $0) }
        } catch {
            return failure(error, of: question)
        }
    }

    private func answerAlone(_ question: Question) async {
        guard isAwaited(question) else { return }
        let result: StoredAnswer
        do {
            let envelope = question.delivery.envelope
            if question.kind == PartitionReportGet.kind {
                result = StoredAnswer(.applied(try await PartitionReporter(lane: lane).report()))
            } else if let answer = try await operators.answer(envelope) {
                result = answer
            } else {
                let handler = try handler(of: question)
                result = try await lane.database.read(until: question.deadline) {
                    try handler.answer(envelope.body, $0)
                }
            }
        } catch {
            result = failure(error, of: question)
        }
        await send([(question.delivery, result)])
    }

    private func isAwaited(_ question: Question) -> Bool {
        if question.deadline > .now { return true }
        lane.measures.abandoned.add()
        return false
    }

    private func handler(of question: Question) throws -> AnyQueryHandler {
        let kind = question.kind?.rawValue ?? ""
        guard let handler = lane.handlers.queries[question.kind ?? ""] else {
            throw MessageFault.forNow(.kindUnknown, "\(lane.address.service) answers no \(kind)")
        }
        let author = question.delivery.envelope.properties.userID.map(BrokerUser.init(rawValue:))
        if let authors = handler.authors, author.map(authors.contains) != true {
            throw MessageFault.forever(.notFromOwner, "Not answered to \(author?.rawValue ?? "an unnamed user")")
        }
        return handler
    }

    private func failure(_ error: any Error, of question: Question) -> StoredAnswer {
        lane.logger.warning(
            "query failed",
            ["kind": .string(question.kind?.rawValue ?? ""), "error": .string(String(reflecting: error))])
        if error is ReadOverdue {
            lane.measures.abandoned.add()
            return .failed(.forNow(.tookTooLong, "It was not answered within the time that its asker waits"))
        }
        return .failed(IncomingMessage.fault(error))
    }

    private func send(_ answers: [(Delivery, StoredAnswer)]) async {
        let now = lane.clock()
        await lane.publisher.send(
            answers.compactMap { delivery, answer in
                (try? answer.encoded()).flatMap { delivery.envelope.reply($0, at: now) }
            })
    }
}

/// A question, and when its asker will have given up, or nearly so: what is said then still reaches him.
private struct Question: Sendable {
    let delivery: Delivery
    let deadline: ContinuousClock.Instant

    /// Of an asker who does not say how long he waits.
    private static let usual = Duration.seconds(10)
    /// However long he says he does.
    private static let longest = Duration.seconds(60)

    init(_ delivery: Delivery, takenAt now: ContinuousClock.Instant = .now) {
        self.delivery = delivery
        let told = delivery.envelope.properties.expiration.flatMap { Int64($0) }
        let patience = told.map { min(.milliseconds(max($0, 0)), Self.longest) } ?? Self.usual
        deadline = now + patience * 9 / 10
    }

    var kind: MessageKind? { delivery.envelope.kind }
}

/// Questions that are answered one after the other.
private final class Line: Sendable {
    /// How many may wait.
    private static let longest = 64

    let questions: AsyncStream<Question>
    private let continuation: AsyncStream<Question>.Continuation
    private let over = Atomic(false)

    init() {
        (questions, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.longest))
    }

    /// Nobody could be answered any more: who still waits is passed over.
    var isOver: Bool { over.load(ordering: .relaxed) }

    /// False: too many wait already.
    func add(_ question: Question) -> Bool {
        if case .dropped = continuation.yield(question) { false } else { true }
    }

    func end() {
        over.store(true, ordering: .relaxed)
        continuation.finish()
    }
}
