package import Messages
internal import StoreArtifacts
internal import Synchronization

/// What is being judged at this moment, and what need not be judged again: of many submissions of one artifact one is
/// verified, whether they come in one batch, in several, or as commands and requests at once.
///
/// What has been judged is noted once it is on disk, never before.
package final class RecentJudgements: Sendable {
    /// What may share a judgement.
    package struct Subject: Hashable, Sendable {
        let organisation: OrganisationID
        let app: AppID
        /// Of the app: another version may have other roots.
        let version: Int
        let text: Text
    }

    /// A text as something.
    package struct Text: Hashable, Sendable {
        let digest: ArtifactDigest
        let kind: Artifact.Kind
    }

    /// Where the judgement on a submission comes from.
    package enum Origin: Sendable {
        /// The verdict is on disk, under this kind.
        case stored(Artifact.Kind)
        /// Whoever asks first judges; the others get the same.
        case shared(SharedJudgement)
    }

    private struct State {
        var stored: BoundedTable<Subject, Artifact.Kind>
        var refused: BoundedTable<Text, Judged>
        var pending: [Subject: Weakly] = [:]
        /// Once there are so many, those that nobody waits for any more are cleared away.
        var sweepAt = 64
    }

    private struct Weakly {
        weak var judgement: SharedJudgement?
    }

    private let state: Mutex<State>

    /// - Parameter capacity: how many verdicts are known to be on disk, about 400 bytes each; and a quarter as many refusals
    ///   for whatever app, 16 kB each at most.
    package init(capacity: Int = 4096) {
        state = Mutex(
            State(stored: BoundedTable(capacity: capacity), refused: BoundedTable(capacity: max(1, capacity / 4))))
    }

    /// Where the judgement on `subject` comes from.
    ///
    /// - Parameter isLookWanted: whether it is to be looked at though its verdict is on disk.
    package func origin(of subject: Subject, isLookWanted: Bool = false) -> Origin {
        state.withLock { state in
            if !isLookWanted, let kind = state.stored[subject] { return .stored(kind) }
            if let pending = state.pending[subject]?.judgement { return .shared(pending) }
            let judgement = SharedJudgement(state.refused[subject.text])
            state.pending[subject] = Weakly(judgement: judgement)
            if state.pending.count > state.sweepAt {
                state.pending = state.pending.filter { $0.value.judgement != nil }
                state.sweepAt = max(64, state.pending.count * 2)
            }
            return .shared(judgement)
        }
    }

    /// Notes that the verdict on `subject` is on disk under `kind`.
    package func note(_ subject: Subject, storedAs kind: Artifact.Kind) {
        state.withLock { $0.stored.put(kind, for: subject) }
    }

    /// Notes that a text is refused, whatever the app.
    package func note(_ text: Text, refusedBy judged: Judged) {
        state.withLock { $0.refused.put(judged, for: text) }
    }

    /// How many of each are known.
    package var counts: (stored: Int, refused: Int) { state.withLock { ($0.stored.count, $0.refused.count) } }
}

/// A judgement that several submissions wait for. Made by the first that asks for it.
package final class SharedJudgement: Sendable {
    private let result: Mutex<Result<Judged, any Error>?>

    init(_ known: Judged?) { result = Mutex(known.map { .success($0) }) }

    /// The judgement. Who comes while it is being made waits for a thread that is at work on it, never for one that waits.
    package func value(_ judge: () throws -> Judged) throws -> Judged {
        try result.withLock { result in
            let made = result ?? Result { try judge() }
            result = made
            return try made.get()
        }
    }
}
