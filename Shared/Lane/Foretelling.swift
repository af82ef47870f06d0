internal import Messages
internal import Messaging
internal import SQLite

/// Tries letters in a transaction that is undone, to tell what a replay would come to.
struct Foretelling: Sendable {
    let lane: Lane

    /// Each holds the store's writer for as long as a message does.
    private static let mostLetters = 200
    /// About how many bytes of letters are in memory at a time.
    private static let mostBytes = 8 << 20

    func foretell(_ request: DeadForetell) async throws -> DeadForetell.Value {
        let limit = min(max(1, request.count), Self.mostLetters)
        let (letters, isFull) = try await lane.database.read { snapshot in
            var letters: [(number: Int, letter: StoredLetter)] = []
            var size = 0
            var isFull = false
            try snapshot.visitRows(
                of: """
                    SELECT s.letter, d.id, d.bucket, d.reason, d.exchange, d.routing_key, d.generation, d.first_failure,
                        d.properties, d.body
                    FROM selected_letters s JOIN dead_letters d ON d.number = s.letter AND d.discarded_at IS NULL
                    WHERE s.run = ? AND s.letter > ? AND s.outcome IN ('frozen', 'guarded') ORDER BY s.letter LIMIT ?
                    """,
                bindings: [.text(request.run.rawValue), SQLValue(request.after ?? 0), SQLValue(limit)]
            ) { row in
                let letter = try StoredLetter(row, from: 1)
                letters.append((try row.int(0), letter))
                size += letter.size
                isFull = letters.count == limit || size >= Self.mostBytes
                return isFull ? .stop : .next
            }
            return (letters, isFull)
        }
        let now = lane.clock()
        let (address, handlers) = (lane.address, lane.handlers)
        // Nothing is handed to a handler of what a process has died of.
        let prepared = try letters.map { number, letter -> (Int, IncomingMessage?) in
            let isDeadly = letter.isDeadly || letter.reason == MessageFault.Reason.condemned.rawValue
            guard !isDeadly else { return (number, nil) }
            var envelope = try letter.replay(of: address.service, renewedAt: request.isAsNew == true ? now : nil)
            envelope.properties.userID = BrokerUser(of: address.service).rawValue
            let route = Route.replay(address.service, partition: address.number)
            let delivery = Delivery(
                tag: 0, envelope: envelope, exchange: route.exchange.rawValue, routingKey: route.routingKey,
                isRedelivered: false)
            return (number, IncomingMessage(delivery, at: now, in: address, handlers: handlers))
        }
        let outcomes = try await lane.database.write { transaction in
            try prepared.map { number, message in
                let (outcome, why) = try message.map { try Self.outcome(of: $0, in: transaction) } ?? (.untried, nil)
                return OutcomeCount(
                    outcome: outcome, reason: why?.reason, count: 1, example: number, text: why?.message)
            }
        }
        return DeadForetell.Value(
            outcomes: OutcomeCount.merged(outcomes), next: isFull ? letters.last?.number : nil)
    }

    private static func outcome(of message: IncomingMessage, in transaction: borrowing Transaction) throws
        -> (ReplayOutcome, Refusal?)
    {
        switch message.content {
        case .checkpoint: return (.applied, nil)
        case .foreign: return (.forwarded, nil)
        case .fault(let fault, _):
            return (fault.reason == .kindUnknown ? .nowhere : .failed, Refusal(fault))
        case .work(let work):
            do {
                try transaction.savepoint { transaction in throw try foretold(work, of: message, in: transaction) }
            } catch let told as Told {
                return (told.outcome, told.why)
            } catch let error as SQLiteError {
                if error.isOurs { throw error }
                return (.failed, Refusal(MessageFault.forever(.unstorable, "\(error)")))
            } catch {
                return (.failed, Refusal(IncomingMessage.fault(error)))
            }
        }
        return (.applied, nil)
    }

    /// Thrown, so that what it tells of is undone.
    private struct Told: Error {
        let outcome: ReplayOutcome
        var why: Refusal?
    }

    private static func foretold(
        _ work: AnyMessageHandler.Work, of message: IncomingMessage, in transaction: borrowing Transaction
    ) throws -> Told {
        let context = message.context
        switch try Inbox.enter(
            context.id, kind: context.kind.rawValue, digest: message.digest, bucket: context.bucket, at: context.now,
            in: transaction)
        {
        case .repeated: return Told(outcome: .nothingToDo)
        case .otherBody:
            return Told(
                outcome: .failed, why: Refusal(MessageFault.forever(.idReused, "Another body came under this id")))
        case .new: break
        }
        let changes = transaction.changeCount
        var outgoing = Outgoing(following: context)
        let stored = try work.apply(context, transaction, &outgoing)
        let hasChanged = transaction.changeCount != changes || !outgoing.rows.isEmpty
        return Told(outcome: stored.outcome(changingAnything: hasChanged), why: stored.refusal)
    }
}
