import Messages
import Messaging
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

    /// - Parameters:
    ///   - user: the login, which is stamped upon every message.
    ///   - wakeThread: makes the connection's thread look for something to send.
    init(
        user: String, limits: PublishLedger.Limits, hangingSend: HangingSend, measures: PublishMeasures,
        wakeThread: @escaping @Sendable () -> Void
    ) {
        self.user = user
        self.hangingSend = hangingSend
        self.measures = measures
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
        let isNew = state.withLock { state in
            guard state.acceptsReplies else { return false }
            let wasEmpty = state.replies.isEmpty
            for var publication in publications {
                // Nobody would hear of it.
                publication.isMandatory = false
                let size = publication.envelope.body.count + 1024
                guard state.replies.count < Self.mostReplies, state.repliesBytes + size <= Self.mostReplyBytes else {
                    break
                }
                state.replies.append(publication)
                state.repliesBytes += size
            }
            return wasEmpty && !state.replies.isEmpty
        }
        if isNew { wakeThread() }
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
