internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite

/// Takes a partition's deliveries in batches, in order, and settles each once its effect is stored.
///
/// What goes wrong is sorted by whose fault it was: a message's own goes into the ladder or to the dead letters; a store
/// that cannot be written is ours, and the lane waits with what it has in hand.
struct Lane: Sendable {
    let address: PartitionAddress
    let database: Database
    let handlers: HandlerTable
    let publisher: NumberedPublisher
    let outbox: Outbox
    let writer: BatchWriter
    let limits: LaneLimits
    let clock: @Sendable () -> Timestamp
    /// For all that has to be written or copied, however long it takes.
    let patience: Patience
    let excuses = Excuses()
    let measures: LaneMeasures
    let logger: Logger

    var stop: StopRequest { patience.stop }

    /// Works until the subscription has ended.
    func run(_ subscription: any Subscription) async throws {
        var numbers = try await database.read { try SeenNumbers.load(from: $0) }
        var forgotAt = ContinuousClock.now
        while let deliveries = try await subscription.next(upTo: limits.batchCount, bytes: limits.batchBytes) {
            // Where something has come back more than once, a crash has to charge the culprit alone.
            var rest = deliveries[...]
            while let first = rest.first {
                let portion = first.isTakenAlone ? rest.prefix(1) : rest.prefix { !$0.isTakenAlone }
                rest = rest.dropFirst(portion.count)
                numbers = try await take(Array(portion), of: subscription, numbers: numbers)
            }
            if .now - forgotAt > limits.upkeepInterval * 10 {
                forgotAt = .now
                let limit = clock() - limits.inboxKept
                let silent = try await patience.write { try Checkpoints.forget(silentSince: limit, in: $0) }
                numbers.forget(silent)
            }
        }
    }

    /// Applies requests: like commands, but nothing of them outlives their sender.
    func take(requests deliveries: [Delivery]) async throws {
        let batch = await answerSettled(of: await prepare(deliveries))
        guard !batch.isEmpty else { return }
        let outcome = try await database.write { [writer] transaction in
            try writer.write(
                batch, isDurable: false, numbers: SeenNumbers(), confirmed: NumberSet(), in: transaction)
        }
        await finish(batch, outcome)
    }

    /// Answers the requests that have nothing to write.
    ///
    /// - Returns: the others.
    private func answerSettled(of batch: [IncomingMessage]) async -> [IncomingMessage] {
        guard batch.contains(where: \.canBeSettled) else { return batch }
        let answers = try? await database.read { snapshot in
            batch.map { message in try? message.settle(in: snapshot) }
        }
        guard let answers else { return batch }
        var rest: [IncomingMessage] = []
        var replies: [Publication] = []
        for (message, answer) in zip(batch, answers) {
            guard let answer, let encoded = try? answer.encoded() else {
                rest.append(message)
                continue
            }
            measures.settled.add()
            if let reply = message.delivery.envelope.reply(encoded, at: message.context.now) { replies.append(reply) }
        }
        if !replies.isEmpty { await publisher.send(replies) }
        return rest
    }

    private func take(_ deliveries: [Delivery], of subscription: any Subscription, numbers: SeenNumbers) async throws
        -> SeenNumbers
    {
        let started = ContinuousClock.now
        let batch: [IncomingMessage]
        if let suspect = deliveries.first, suspect.isTakenAlone {
            batch = [try await interrogate(suspect)]
        } else {
            batch = await prepare(deliveries)
        }
        measures.backlog.setInHand(batch.lazy.map(\.context.acceptedAt).min())
        // Whatever ends this, nothing is in hand then: it has ended, or goes back.
        defer { measures.backlog.setInHand(nil) }
        let outcome: BatchWriter.Outcome
        do {
            outcome = try await write(batch, numbers: numbers)
        } catch let error as Patience.Exhausted {
            // The try that was taken down for it was none.
            if deliveries[0].isTakenAlone { excuses.excuse(batch[0].context.id) }
            throw error
        }
        let copied = Set(outcome.copies.map(\.index))
        let settled = deliveries.indices.filter { !copied.contains($0) }.map { deliveries[$0] }
        await subscription.settle(settled, .acknowledge)
        // Before the copies, which may take long and end the lane: what is committed has to go out all the same.
        await finish(batch, outcome)
        if !outcome.copies.isEmpty {
            let unsendable = try await patience.publish(outcome.copies)
            if !unsendable.isEmpty { try await bury(unsendable.map { batch[$0] }) }
            await subscription.settle(outcome.copies.map { deliveries[$0.index] }, .acknowledge)
        }
        measures.batch.record(.now - started)
        return outcome.numbers
    }

    /// Whatever follows a commit, save the acknowledgement.
    private func finish(_ batch: [IncomingMessage], _ outcome: BatchWriter.Outcome) async {
        outbox.committed(outcome.rows)
        for (message, ending) in zip(batch, outcome.endings) {
            measures.count(ending)
            guard ending == .applied || ending == .refused else { continue }
            if case .work(let work) = message.content { work.committed() }
            measures.age.record(message.context.now.since(message.context.acceptedAt))
        }
        let now = clock()
        for row in outcome.rows where row.route.exchange == .events {
            measures.tell(row.kind, after: now.since(row.acceptedAt))
        }
        if !outcome.replies.isEmpty { await publisher.send(outcome.replies) }
        tell(outcome.letters)
    }

    private func tell(_ letters: [DeadLetter]) {
        for letter in letters {
            logger.warning(
                "dead letter",
                [
                    "id": .string(letter.id.rawValue), "kind": .string(letter.kind.rawValue),
                    "reason": .string(letter.fault.reason.rawValue), "step": .string(letter.step),
                    "text": .string(letter.fault.text),
                ])
        }
    }

    private func prepare(_ deliveries: [Delivery]) async -> [IncomingMessage] {
        let now = clock()
        let share = max(16, (deliveries.count + Self.width - 1) / Self.width)
        guard deliveries.count > share else {
            return deliveries.map { IncomingMessage($0, at: now, in: address, handlers: handlers) }
        }
        return await withTaskGroup(of: (Int, [IncomingMessage]).self) { group in
            for start in stride(from: 0, to: deliveries.count, by: share) {
                group.addTask {
                    let part = deliveries[start..<min(start + share, deliveries.count)]
                    return (start, part.map { IncomingMessage($0, at: now, in: address, handlers: handlers) })
                }
            }
            var parts: [(Int, [IncomingMessage])] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    /// How many parts of a batch are prepared side by side.
    private static let width = 4

    /// A delivery that comes alone: takes down the try before anything looks at the message, and convicts at the fourth.
    private func interrogate(_ delivery: Delivery) async throws -> IncomingMessage {
        let now = clock()
        // Nothing is handed to a handler here: with an empty table the message is only named.
        let named = IncomingMessage(delivery, at: now, in: address, handlers: HandlerTable())
        let isExcused = excuses.isExcused(named.context.id)
        let tries = try await patience.write { transaction in
            if isExcused { try SuspectTable.acquit(named.context.id, in: transaction) }
            return try SuspectTable.raise(named.context.id, bucket: named.context.bucket, in: transaction)
        }
        excuses.forget(named.context.id)
        guard tries > SuspectTable.mostTries else {
            return IncomingMessage(delivery, at: now, in: address, handlers: handlers)
        }
        return IncomingMessage(
            convicted: named,
            MessageFault.forever(.crashed, "The process ended \(SuspectTable.mostTries) times while it handled this"))
    }

    private func write(_ batch: [IncomingMessage], numbers: SeenNumbers) async throws -> BatchWriter.Outcome {
        let confirmed = outbox.takeConfirmed()
        do {
            return try await patience.write { [writer] transaction in
                try writer.write(batch, isDurable: true, numbers: numbers, confirmed: confirmed, in: transaction)
            }
        } catch {
            // The commit itself can fail too.
            outbox.giveBack(confirmed: confirmed)
            throw error
        }
    }

    /// Messages whose copy fits into no frame would come back for ever.
    private func bury(_ messages: [IncomingMessage]) async throws {
        let letters = try await patience.write { [writer] transaction in try writer.bury(messages, in: transaction) }
        letters.forEach { _ in measures.count(.dead) }
        tell(letters)
    }
}

extension IncomingMessage {
    /// A message that is not to be handled any more.
    fileprivate init(convicted named: IncomingMessage, _ fault: MessageFault) {
        delivery = named.delivery
        digest = named.digest
        context = named.context
        isReplay = named.isReplay
        content = .fault(fault, step: "handle")
    }
}
