internal import Messages
internal import Messaging
internal import SQLite

/// Stores a batch: one savepoint a message, one commit for all.
struct BatchWriter: Sendable {
    /// What the lane has to do once the batch is on disk.
    struct Outcome: Sendable {
        var endings: [Ending] = []
        /// Copies that have to be with the broker before their originals are acknowledged, by position in the batch.
        var copies: [(index: Int, publication: Publication)] = []
        var replies: [Publication] = []
        var rows: [OutboxRow] = []
        var letters: [DeadLetter] = []
        fileprivate(set) var notes = ReplayNotes()
        var numbers: SeenNumbers
    }

    let address: PartitionAddress
    let version: String
    let ladder: RetryLadder
    let outbox: Outbox

    /// - Parameters:
    ///   - isDurable: false for requests: no inbox, no ladder, no dead letter; their sender is told at once.
    ///   - numbers: what has been seen before.
    /// - Throws: only what is not the fault of any message: the store cannot be written.
    func write(
        _ batch: [IncomingMessage], isDurable: Bool, numbers before: SeenNumbers, confirmed: NumberSet,
        in transaction: borrowing Transaction
    ) throws -> Outcome {
        var outcome = Outcome(numbers: before)
        var tally = Tally(isDurable: isDurable)
        try OutboxTable.remove(confirmed, in: transaction)
        for (index, message) in batch.enumerated() {
            outcome.numbers.note(message.delivery)
            let ending = try end(message, at: index, isDurable: isDurable, into: &outcome, in: transaction)
            outcome.endings.append(ending)
            tally.count(ending, message.context.bucket)
        }
        if let now = batch.first?.context.now {
            try outcome.numbers.save(changesSince: before, at: now, in: transaction)
        }
        try tally.save(in: transaction)
        try outcome.notes.save(in: transaction)
        return outcome
    }

    private func end(
        _ message: IncomingMessage, at index: Int, isDurable: Bool, into outcome: inout Outcome,
        in transaction: borrowing Transaction
    ) throws -> Ending {
        switch message.content {
        case .checkpoint(let checkpoint):
            try acquit(message, in: transaction)
            try Checkpoints.keep(checkpoint, at: message.context.now, in: transaction)
            return .checkpoint
        case .foreign(let partition):
            guard isDurable else {
                let fault = MessageFault.forNow(.noOwner, "\(address) does not own its key")
                return try fail(
                    message, fault, step: "forward", at: index, isDurable: false, into: &outcome, in: transaction)
            }
            return try forward(message, to: partition, at: index, into: &outcome, in: transaction)
        case .fault(let fault, let step):
            return try fail(
                message, fault, step: step, at: index, isDurable: isDurable, into: &outcome, in: transaction)
        case .work(let work):
            do {
                let result = try transaction.savepoint { transaction in
                    try apply(work, of: message, isDurable: isDurable, in: transaction)
                }
                outcome.rows += result.rows
                if let answer = result.answer { reply(to: message, answer, into: &outcome) }
                outcome.notes.add(result.outcome, result.why, of: message)
                return result.ending
            } catch {
                let fault: MessageFault
                if let error = error as? SQLiteError {
                    if error.isOurs { throw error }
                    fault = .forever(.unstorable, "\(error)")
                } else {
                    fault = IncomingMessage.fault(error)
                }
                return try fail(
                    message, fault, step: "apply", at: index, isDurable: isDurable, into: &outcome, in: transaction)
            }
        }
    }

    /// What applying a message came to, once its savepoint is kept.
    private struct Effect {
        var ending: Ending
        var rows: [OutboxRow] = []
        var answer: [UInt8]?
        /// Of a replayed letter.
        var outcome: ReplayOutcome
        var why: Refusal?
    }

    private func apply(
        _ work: AnyMessageHandler.Work, of message: IncomingMessage, isDurable: Bool,
        in transaction: borrowing Transaction
    ) throws -> Effect {
        let context = message.context
        let wantsAnswer = message.delivery.envelope.properties.replyTo?.isEmpty == false
        if isDurable {
            try acquit(message, in: transaction)
            switch try Inbox.enter(
                context.id, kind: context.kind.rawValue, digest: message.digest, bucket: context.bucket,
                at: context.now, in: transaction)
            {
            case .new: break
            case .repeated(let stored):
                return Effect(ending: .repeated, answer: wantsAnswer ? stored : nil, outcome: .nothingToDo)
            case .otherBody:
                throw MessageFault.forever(.idReused, "Another body came under this id before")
            }
        }
        var outgoing = Outgoing(following: context)
        let changes = transaction.changeCount
        let stored = try work.apply(context, transaction, &outgoing)
        let hasChanged = transaction.changeCount != changes || !outgoing.rows.isEmpty
        var answer: [UInt8]?
        if wantsAnswer {
            let encoded = try stored.encoded()
            if isDurable { try Inbox.keep(answer: encoded, for: context.id, in: transaction) }
            answer = encoded
        }
        return Effect(
            ending: stored.isRefusal ? .refused : .applied, rows: try outbox.store(outgoing, in: transaction),
            answer: answer, outcome: stored.outcome(changingAnything: hasChanged), why: stored.refusal)
    }

    /// It has come to an end: it neither waits in the ladder nor is it suspected any more.
    private func acquit(_ message: IncomingMessage, in transaction: borrowing Transaction) throws {
        // One that comes back from the broker may have been on its way into the ladder when the process or the connection
        // died: noted there, and never sent.
        if message.delivery.envelope.attempt > 0 || message.delivery.isRedelivered {
            try RetryingTable.remove(message.context.id, in: transaction)
        }
        if message.delivery.isTakenAlone { try SuspectTable.acquit(message.context.id, in: transaction) }
    }

    private func forward(
        _ message: IncomingMessage, to partition: Int, at index: Int, into outcome: inout Outcome,
        in transaction: borrowing Transaction
    ) throws -> Ending {
        var copy = message.copy
        copy.forwards += 1
        guard copy.forwards <= 2 else {
            let fault = MessageFault.forever(.noOwner, "Passed on twice, and \(address) does not own its key either")
            return try fail(
                message, fault, step: "forward", at: index, isDurable: true, into: &outcome, in: transaction)
        }
        // It may have waited in this partition's ladder before the partitions were cut anew.
        try acquit(message, in: transaction)
        outcome.notes.add(.forwarded, of: message)
        let route = Route.requeue(address.service, partition: partition)
        outcome.copies.append((index, Publication(copy, to: route, isMandatory: true)))
        return .forwarded
    }

    private func fail(
        _ message: IncomingMessage, _ fault: MessageFault, step: String, at index: Int, isDurable: Bool,
        into outcome: inout Outcome, in transaction: borrowing Transaction
    ) throws -> Ending {
        let context = message.context
        if isDurable, fault.duration == .forNow,
            let rung = ladder.rung(
                attempt: message.delivery.envelope.attempt, firstFailure: message.firstFailure, now: context.now)
        {
            var copy = message.copy
            copy.attempt += 1
            copy.firstFailure = message.firstFailure
            try RetryingTable.keep(
                context.id, kind: context.kind.rawValue, fault: fault, attempt: copy.attempt,
                firstFailure: message.firstFailure, due: context.now + rung.duration, bucket: context.bucket,
                in: transaction)
            if message.delivery.isTakenAlone { try SuspectTable.acquit(context.id, in: transaction) }
            outcome.notes.add(.retrying, Refusal(fault), of: message)
            let route = Route.retry(address.service, partition: address.number, rung)
            outcome.copies.append((index, Publication(copy, to: route, isMandatory: true)))
            return .retried
        }
        reply(to: message, try StoredAnswer.failed(fault).encoded(), into: &outcome)
        guard isDurable else { return .dead }
        outcome.letters.append(try bury(message, fault, step: step, notes: &outcome.notes, in: transaction))
        return .dead
    }

    private func bury(
        _ message: IncomingMessage, _ fault: MessageFault, step: String, notes: inout ReplayNotes,
        in transaction: borrowing Transaction
    ) throws -> DeadLetter {
        try acquit(message, in: transaction)
        let letter = DeadLetter(
            id: message.context.id, bucket: message.context.bucket, fault: fault, step: step,
            delivery: message.delivery, firstFailure: message.firstFailure, at: message.context.now,
            generation: message.generation)
        try DeadLetterTable.keep(letter, version: version, in: transaction)
        notes.add(.failed, Refusal(fault), of: message)
        return letter
    }

    /// Messages that would have to be published again, and cannot be: with what a copy adds they fit into no frame.
    func bury(_ messages: [IncomingMessage], in transaction: borrowing Transaction) throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        var notes = ReplayNotes()
        for message in messages {
            let fault = MessageFault.forever(.tooLarge, "Its properties leave no room for those of a copy")
            letters.append(try bury(message, fault, step: "copy", notes: &notes, in: transaction))
            try RetryingTable.remove(message.context.id, in: transaction)
        }
        try notes.save(in: transaction)
        return letters
    }

    private func reply(to message: IncomingMessage, _ answer: [UInt8], into outcome: inout Outcome) {
        guard let publication = message.delivery.envelope.reply(answer, at: message.context.now) else { return }
        outcome.replies.append(publication)
    }
}

extension Refusal {
    init(_ fault: MessageFault) { self.init(fault.reason.rawValue, fault.text) }
}

extension Envelope {
    /// A transient answer to this message; nil if nobody asked for one, or named a queue of a service for it.
    func reply(_ answer: [UInt8], at now: Timestamp) -> Publication? {
        guard let queue = properties.replyTo, !queue.isEmpty,
            !ServiceName.all.contains(where: { queue.hasPrefix("\($0).") })
        else { return nil }
        var envelope = Envelope(kind: "answer.v1", id: MessageID(at: now), body: answer)
        envelope.properties.deliveryMode = 1
        envelope.properties.correlationID = properties.correlationID ?? properties.messageID
        envelope.traceparent = traceparent
        return Publication(envelope, to: .reply(queue), isMandatory: false)
    }
}

extension Delivery {
    /// It has come back so often that a process may have died of it: it is applied alone.
    var isTakenAlone: Bool { deliveryCount >= 2 }
}
