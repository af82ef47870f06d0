import Messages
import Messaging
internal import ServiceKit
internal import Synchronization

/// Takes publications from any number of callers to the one thread that owns the connection, and brings back what
/// became of them. Neither a blocked broker nor a send that hangs holds a caller longer than its deadline.
final class ConfirmingPublisher: Publisher {
    private struct State: ~Copyable {
        var ledger: PublishLedger
        var replies = FIFO<Publication>()
        var repliesBytes = 0
        var acceptsReplies = false
        /// When the deadline timer will fire.
        var timerAt: ContinuousClock.Instant?
    }

    /// Replies that wait for the thread; more are dropped, for their askers have a deadline and ask again.
    private static let mostReplies = 10_000
    private static let mostReplyBytes = 64 << 20

    private let user: String
    private let state: Mutex<State>
    private let wakeThread: @Sendable () -> Void
    private let timer: Mutex<DeadlineTimer?> = Mutex(nil)
    private let hangingSend: HangingSend
    private let measures: PublishMeasures
    private let logger: Logger

    /// - Parameters:
    ///   - user: the login, which is stamped upon every message.
    ///   - wakeThread: makes the connection's thread look for something to send.
    init(
        user: String, limits: PublishLedger.Limits, hangingSend: HangingSend, measures: PublishMeasures,
        logger: Logger, wakeThread: @escaping @Sendable () -> Void
    ) {
        self.user = user
        self.hangingSend = hangingSend
        self.measures = measures
        self.logger = logger
        self.wakeThread = wakeThread
        state = Mutex(State(ledger: PublishLedger(limits: limits, now: .now)))
        let timer = DeadlineTimer { [weak self] in self?.deadlinePassed() }
        self.timer.withLock { $0 = timer }
    }

    // MARK: Callers

    func publish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome] {
        guard !publications.isEmpty else { return [] }
        // Measured here, on the caller's thread: the connection's has enough to do.
        let sizes = publications.map { $0.envelope.properties.encodedSize(user: user) }
        let outcomes = await withUnsafeContinuation { continuation in
            let call = PublishLedger.Call(count: publications.count, deadline: deadline) {
                continuation.resume(returning: $0)
            }
            if withLedger({ $0.submit(publications, propertiesSizes: sizes, for: call, now: .now) }) { wakeThread() }
        }
        for outcome in outcomes { measures.outcomes.count(outcome) }
        return outcomes
    }

    func send(_ publications: [Publication]) async {
        let (isNew, kept) = state.withLock { state in
            guard state.acceptsReplies else { return (false, publications.count) }
            let wasEmpty = state.replies.isEmpty
            for (index, var publication) in publications.enumerated() {
                // Nobody would hear of it.
                publication.isMandatory = false
                let size = publication.envelope.body.count + 1024
                guard state.replies.count < Self.mostReplies, state.repliesBytes + size <= Self.mostReplyBytes else {
                    return (wasEmpty && !state.replies.isEmpty, index)
                }
                state.replies.append(publication)
                state.repliesBytes += size
            }
            return (wasEmpty && !state.replies.isEmpty, publications.count)
        }
        if isNew { wakeThread() }
        if kept < publications.count { tell(ofDropped: publications[kept...]) }
    }

    /// One line, however many: the first is the one for which there was no room.
    private func tell(ofDropped dropped: ArraySlice<Publication>) {
        guard let first = dropped.first?.envelope else { return }
        logger.warning(
            "answers dropped, no room",
            [
                "count": .integer(dropped.count), "kind": .string(first.kind?.rawValue ?? ""),
                "id": .string(first.properties.correlationID ?? first.id?.rawValue ?? ""),
                "bytes": .integer(first.body.count),
            ])
    }

    // MARK: The connection's thread

    /// Reads or changes the ledger, then resumes whose fates are known.
    func withLedger<Value: Sendable>(_ body: (inout PublishLedger) -> Value) -> Value {
        let (value, finished) = state.withLock { state in
            let value = body(&state.ledger)
            if let next = state.ledger.nextDeadline, state.timerAt.map({ next < $0 }) ?? true { setTimer(&state, next) }
            return (value, state.ledger.takeFinished())
        }
        for call in finished { call.resume() }
        return value
    }

    /// From now on replies are sent, or dropped.
    func acceptReplies(_ accepts: Bool) {
        state.withLock { state in
            state.acceptsReplies = accepts
            guard !accepts else { return }
            state.replies = FIFO()
            state.repliesBytes = 0
        }
    }

    func nextReply() -> Publication? {
        state.withLock { state in
            guard state.acceptsReplies, let reply = state.replies.popFirst() else { return nil }
            state.repliesBytes -= reply.envelope.body.count + 1024
            return reply
        }
    }

    // MARK: Deadlines

    private func deadlinePassed() {
        state.withLock { $0.timerAt = nil }
        hangingSend.endIfTooLong()
        withLedger { $0.sweep(now: .now) }
    }

    private func setTimer(_ state: inout State, _ deadline: ContinuousClock.Instant) {
        state.timerAt = deadline
        timer.withLock { $0?.set(in: deadline - .now) }
    }
}
