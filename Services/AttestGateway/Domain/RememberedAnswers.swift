package import Messages
internal import Synchronization

/// The first answers to requests with an `Idempotency-Key`, for ten minutes, in bounded memory.
///
/// What is forgotten, because time or room is over, is applied as a repeat: the message has the same id.
package final class RememberedAnswers: Sendable {
    /// What is known of a request.
    package enum Finding: Equatable, Sendable {
        /// Nothing: it is noted now.
        case new
        /// It was begun, and is not known to be accepted.
        case unanswered
        /// It was answered so.
        case answered([UInt8])
        /// The key was used for another body.
        case otherBody
    }

    private struct Entry {
        let since: Int64
        /// What callers of each trust have sent, as its digest, and what they were answered.
        var bodies: [Trust: (digest: [UInt8], answer: [UInt8]?)] = [:]
    }

    private struct State {
        var young: [MessageID: Entry] = [:]
        var old: [MessageID: Entry] = [:]
        var rotated: Int64 = 0

        subscript(id: MessageID) -> Entry? { young[id] ?? old[id] }

        mutating func note(_ digest: [UInt8], from trust: Trust, of id: MessageID) {
            if young[id] != nil {
                young[id]?.bodies[trust] = (digest, nil)
            } else {
                old[id]?.bodies[trust] = (digest, nil)
            }
        }
    }

    private let lifetime: Int64
    private let capacity: Int
    private let state = Mutex(State())
    private let milliseconds: @Sendable () -> Int64

    /// - Parameters:
    ///   - capacity: how many are remembered at least, where so many come within the lifetime; twice that at most.
    ///   - milliseconds: a clock that never goes back.
    package init(
        lifetime: Duration = .seconds(600), capacity: Int = 20_000, milliseconds: @escaping @Sendable () -> Int64
    ) {
        self.lifetime = lifetime.wholeMilliseconds
        self.capacity = capacity
        self.milliseconds = milliseconds
    }

    /// What is known of request `id`; if nothing, it is noted.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of the body as sent.
    ///   - trust: of who sends it now. What was accepted from a genuine app need not be said again by another caller; the
    ///     other way round it is news.
    package func begin(_ id: MessageID, digest: [UInt8], from trust: Trust) -> Finding {
        let now = milliseconds()
        return state.withLock { state in
            if state.young.count >= capacity || now - state.rotated >= lifetime {
                state.old = state.young
                state.young = [:]
                state.rotated = now
            }
            if let entry = state[id], now - entry.since < lifetime {
                // Nobody keeps a genuine app's word out by guessing what it calls its requests.
                let known = [entry.bodies[.attested], entry.bodies[trust]].compactMap(\.self)
                guard known.allSatisfy({ $0.digest == digest }) else { return .otherBody }
                if let answer = known.lazy.compactMap(\.answer).first { return .answered(answer) }
                if entry.bodies[trust] == nil { state.note(digest, from: trust, of: id) }
                return .unanswered
            }
            state.young[id] = Entry(since: now, bodies: [trust: (digest, nil)])
            return .new
        }
    }

    /// What a caller of this trust has sent is accepted: this is the answer from now on.
    package func end(_ id: MessageID, answer: [UInt8], from trust: Trust) {
        state.withLock { state in
            if state.young[id] != nil {
                state.young[id]?.bodies[trust]?.answer = answer
            } else {
                state.old[id]?.bodies[trust]?.answer = answer
            }
        }
    }
}
