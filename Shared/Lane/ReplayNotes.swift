internal import Messages
internal import Messaging
internal import SQLite

/// What has become of the replayed letters of a batch; written beside their selections at its end, all at once.
///
/// Not one by one, within the savepoint of each message: SQLite keeps a copy of every page that a savepoint changes, and
/// a letter that leaves its table changes a dozen.
struct ReplayNotes: Sendable {
    /// A message, in one of its lives.
    private struct Life: Hashable {
        let id: MessageID
        let generation: Int
    }
    private struct Note {
        let outcome: ReplayOutcome
        let why: Refusal?
        let body: [UInt8]
    }
    /// What is written of letters of a selection.
    private struct End: Hashable {
        let run: MessageID
        let outcome: ReplayOutcome
        let why: Refusal?
    }
    /// In the order in which they came.
    private var notes: [Life: [Note]] = [:]

    /// Of messages that no operator has put back nothing is noted.
    mutating func add(_ outcome: ReplayOutcome, _ why: Refusal? = nil, of message: IncomingMessage) {
        guard message.isReplay else { return }
        notes[Life(id: message.context.id, generation: message.generation), default: []].append(
            Note(outcome: outcome, why: why, body: message.delivery.envelope.body))
    }

    /// That the lane has had them in hand proves that the broker had them: their letters go, if they have not gone yet.
    func save(in transaction: borrowing Transaction) throws {
        guard !notes.isEmpty else { return }
        var ends: [End: [Int]] = [:]
        var proven: [Int] = []
        try SelectionTable.visitOpen(notes.keys.map(\.id), in: transaction) { run, letter, id, generation, body in
            guard let note = note(of: Life(id: id, generation: generation), body: body) else { return }
            ends[End(run: run, outcome: note.outcome, why: note.why), default: []].append(letter)
            if body != nil { proven.append(letter) }
        }
        for (end, letters) in ends {
            try SelectionTable.note(end.outcome, end.why, of: letters, of: end.run, in: transaction)
        }
        try DeadLetterTable.remove(proven, in: transaction)
    }

    /// Of what comes twice the first end counts; to wait in the ladder is none.
    ///
    /// - Parameter body: of the letter, while it is in the table. Another letter under the same id stays there: nothing
    ///   proves that the broker had it.
    private func note(of life: Life, body: [UInt8]?) -> Note? {
        var last: Note?
        for note in notes[life] ?? [] where last != nil || body == nil || body == note.body {
            if note.outcome != .retrying { return note }
            last = note
        }
        return last
    }
}
