internal import Messages
internal import Messaging
internal import SQLite

/// Answers the operator's tool, and nobody else, about the dead letters of a partition; does what it asks for.
///
/// Everything may come twice: a selection has a name that its maker chose, and what has been done to a letter of it is
/// not done again.
struct OperatorDesk: Sendable {
    private let lane: Lane
    private let replays: ReplayDesk

    init(lane: Lane) {
        self.lane = lane
        replays = ReplayDesk(lane: lane)
    }

    /// The most bytes of one question: imports come in portions, and a body may be large.
    private static let mostBytes = 64 << 20

    /// Nil for what is not of its kinds.
    func answer(_ envelope: Envelope) async throws -> StoredAnswer? {
        let author = envelope.properties.userID.map(BrokerUser.init(rawValue:))
        guard let kind = envelope.kind, Self.kinds.contains(kind) else { return nil }
        guard author == .operatorTool else {
            throw MessageFault.forever(.notFromOwner, "Not answered to \(author?.rawValue ?? "an unnamed user")")
        }
        do {
            return try await answer(kind, envelope.body)
        } catch let error as SQLiteError where error.isOurs {
            throw MessageFault.forNow("store_unavailable", "The store takes nothing now: \(error)")
        }
    }

    private func answer(_ kind: MessageKind, _ body: [UInt8]) async throws -> StoredAnswer? {
        switch kind {
        case DeadPageGet.kind:
            return try await read(body) { (query: DeadPageGet, snapshot) in try LetterPages.page(query, in: snapshot) }
        case DeadGroupsGet.kind:
            let address = lane.address
            return try await read(body) { (query: DeadGroupsGet, snapshot) in
                try LetterPages.groups(query, of: address, in: snapshot)
            }
        case DeadOutcomesGet.kind:
            let now = lane.clock()
            return try await read(body) { (query: DeadOutcomesGet, snapshot) in
                DeadOutcomesGet.Value(
                    filter: try SelectionTable.filter(of: query.run, at: now, in: snapshot),
                    outcomes: try SelectionTable.outcomes(of: query.run, in: snapshot))
            }
        case AuditPageGet.kind:
            let count = lane.address.count.rawValue
            return try await read(body) { (query: AuditPageGet, snapshot) in
                let limit = min(max(1, query.limit), 1000)
                let (entries, next) = try AuditTrail.page(before: query.before, limit: limit, in: snapshot)
                return AuditPageGet.Value(partitions: count, entries: entries, next: next)
            }
        case DeadFreeze.kind: return StoredAnswer(.applied(try await freeze(try decode(body))))
        case DeadForetell.kind:
            return StoredAnswer(.applied(try await Foretelling(lane: lane).foretell(try decode(body))))
        case DeadReplay.kind: return StoredAnswer(try await replays.replay(try decode(body)))
        case DeadArchive.kind: return StoredAnswer(try await LetterChanges(lane: lane).archive(try decode(body)))
        case DeadForget.kind: return StoredAnswer(try await Forgetting(lane: lane).forget(try decode(body)))
        case DeadEdit.kind: return StoredAnswer(try await LetterChanges(lane: lane).edit(try decode(body)))
        case DeadImport.kind: return StoredAnswer(try await LetterChanges(lane: lane).take(try decode(body)))
        default: return nil
        }
    }

    private static let kinds: Set<MessageKind> = [
        DeadPageGet.kind, DeadGroupsGet.kind, DeadOutcomesGet.kind, AuditPageGet.kind, DeadFreeze.kind,
        DeadForetell.kind, DeadReplay.kind, DeadArchive.kind, DeadForget.kind, DeadEdit.kind, DeadImport.kind,
    ]

    private func read<Query: PartitionMessage>(
        _ body: [UInt8], _ answer: @escaping @Sendable (Query, borrowing Snapshot) throws -> Query.Value
    ) async throws -> StoredAnswer {
        let query: Query = try decode(body)
        return StoredAnswer(.applied(try await lane.database.read { try answer(query, $0) }))
    }

    /// - Throws: also for a question to another partition: the broker's bindings and the stores differ.
    private func decode<Message: PartitionMessage>(_ body: [UInt8]) throws -> Message {
        let message: Message
        do {
            guard body.count <= Self.mostBytes else { throw MessageFault.forever(.tooLarge, "\(body.count) bytes") }
            // Not by our scanner, which takes no zero: headers may have one.
            message = try MessageJSON.decode(Message.self, from: body)
        } catch {
            throw MessageFault.forever(.undecodable, "\(error)")
        }
        guard message.partition == lane.address.number else {
            throw MessageFault.forever(.noOwner, "This is \(lane.address)")
        }
        return message
    }

    private func freeze(_ request: DeadFreeze) async throws -> DeadFreeze.Value {
        let (now, bucket) = (lane.clock(), Bucket.all[lane.address.number])
        let query = try LetterQuery(request.filter)
        let last = try await lane.database.write { transaction in
            try SelectionTable.begin(
                request.run, request.filter, by: request.by, bucket: bucket, at: now, in: transaction)
            guard try !SelectionTable.isComplete(request.run, in: transaction) else { return nil as Int? }
            // What dies from now on is not meant.
            return try transaction.first("SELECT ifnull(max(number), 0) FROM dead_letters") { try $0.int(0) }
        }
        var cursor = last.map { _ in 0 }
        while let after = cursor, let last {
            cursor = try await lane.database.write {
                try SelectionTable.take(query, into: request.run, after: after, through: last, in: $0)
            }
        }
        // Those that are forgotten nobody replays; whoever names one, or looks into the archive, may have meant it.
        let filter = request.filter
        let tells = filter.isDiscarded || filter.isWherever == true || filter.ids != nil || filter.numbers != nil
        return try await lane.database.read { snapshot in
            var value = try SelectionTable.frozen(request.run, mostReplays: request.mostReplays, in: snapshot)
            let (sql, bindings) = query.forgotten
            let forgotten = tells ? try snapshot.first(sql, bindings: bindings) { try $0.int(0) } ?? 0 : 0
            value.forgotten = forgotten > 0 ? forgotten : nil
            return value
        }
    }
}
