internal import Crypto
internal import Messages
internal import Messaging
internal import SQLite

/// What operators change about dead letters without replaying them: archive, edits, imports.
struct LetterChanges: Sendable {
    let lane: Lane

    /// How many letters one transaction moves: the lane waits meanwhile.
    private static let portion = 5000

    /// Of an imported letter: far more than anybody replays, and far below where counting ends.
    private static let generations = 0...1000
    /// Of an imported letter: one more than an envelope says at most.
    private static let attempts = 0...1_000_001

    private var bucket: Bucket { Bucket.all[lane.address.number] }

    // MARK: The archive

    func archive(_ request: DeadArchive) async throws -> Verdict<DeadArchive.Value> {
        let filter = try await lane.database.read { try SelectionTable.filter(of: request.run, in: $0) }
        guard let filter else {
            return .refused(Refusal("selection_unknown", "There is no such preview, or it is forgotten"))
        }
        guard filter.isDiscarded == request.isRestoring, filter.isWherever != true else {
            return .refused(
                Refusal(
                    "selection_unfit",
                    request.isRestoring
                        ? "The preview is not of letters that are in the archive"
                        : "The preview is not of letters that wait"))
        }
        var value = DeadArchive.Value(moved: 0, remaining: 0)
        let (now, bucket) = (lane.clock(), bucket)
        while value.moved < request.count {
            let count = min(Self.portion, request.count - value.moved)
            let (taken, moved) = try await lane.database.write {
                try Self.move(request, count: count, filter: filter, bucket: bucket, at: now, in: $0)
            }
            value.moved += moved
            if taken < count { break }
        }
        value.remaining = try await lane.database.read { try SelectionTable.countToDo(of: request.run, in: $0) }
        return .applied(value)
    }

    /// - Returns: how many of the selection were looked at, and how many of them were where they should be.
    private static func move(
        _ request: DeadArchive, count: Int, filter: LetterFilter, bucket: Bucket, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> (taken: Int, moved: Int) {
        // What is being sent has to be replayed to its end first: it may be on its queue.
        let letters = try transaction.all(
            """
            SELECT letter FROM selected_letters
            WHERE run = ? AND outcome IN ('frozen', 'sending') AND letter NOT IN (SELECT letter FROM letters_on_their_way)
            ORDER BY letter LIMIT ?
            """, .text(request.run.rawValue), SQLValue(count)
        ) { try $0.int(0) }
        let moved: [Int]
        if request.isRestoring {
            moved = try transaction.all(
                """
                UPDATE dead_letters SET discarded_at = NULL, discarded_by = NULL, discarded_why = NULL
                WHERE number IN (SELECT value FROM json_each(?)) AND discarded_at IS NOT NULL AND forgotten_at IS NULL
                RETURNING number
                """, .numbers(letters)
            ) { try $0.int(0) }
        } else {
            moved = try transaction.all(
                """
                UPDATE dead_letters SET discarded_at = ?, discarded_by = ?, discarded_why = ?
                WHERE number IN (SELECT value FROM json_each(?)) AND discarded_at IS NULL RETURNING number
                """, SQLValue(now), .text(request.by), .text(request.why), .numbers(letters)
            ) { try $0.int(0) }
        }
        let outcome = request.isRestoring ? ReplayOutcome.restored : .discarded
        let there = Set(moved)
        try SelectionTable.mark(moved, outcome, of: request.run, in: transaction)
        try SelectionTable.markGone(letters.filter { !there.contains($0) }, of: request.run, in: transaction)
        try AuditTrail.note(
            request.isRestoring ? .restore : .discard, by: request.by, why: request.why, count: moved.count,
            run: request.run, filter: filter, bucket: bucket, at: now, in: transaction)
        return (letters.count, moved.count)
    }

    // MARK: Edits

    func edit(_ request: DeadEdit) async throws -> Verdict<Nothing> {
        let gone = Refusal("letter_gone", "There is no such dead letter: replayed or discarded meanwhile")
        let known = try await lane.database.read { snapshot in
            try snapshot.first(
                "SELECT kind, body FROM dead_letters WHERE number = ? AND discarded_at IS NULL",
                SQLValue(request.number)
            ) { (kind: MessageKind(rawValue: try $0.text(0)), body: try $0.blob(1)) }
        }
        guard let known else {
            let isForgotten = try await lane.database.read {
                try $0.exists(
                    "SELECT 1 FROM dead_letters WHERE number = ? AND forgotten_at IS NOT NULL",
                    SQLValue(request.number))
            }
            return .refused(isForgotten ? .letterForgotten(lane.address, request.number) : gone)
        }
        // Doubled, or asked again because the answer was lost.
        if known.body == request.body.bytes { return .applied }
        guard known.body == request.before.bytes else {
            return .refused(Refusal("body_changed", "Somebody else has edited it meanwhile"))
        }
        guard let handler = lane.handlers.messages[known.kind] else {
            let text = "\(lane.address.service) takes no \(known.kind): there is nothing to check the body against"
            return .refused(Refusal("kind_unknown", text))
        }
        do {
            _ = try handler.decode(request.body.bytes)
        } catch let fault as MessageFault {
            return .refused(Refusal(fault))
        }
        let (now, bucket) = (lane.clock(), bucket)
        let changed = try await lane.database.write { transaction in
            let changed = try transaction.run(
                """
                UPDATE dead_letters SET original = ifnull(original, body), body = ?, edited_at = ?, edited_by = ?
                WHERE number = ? AND body = ? AND discarded_at IS NULL
                """,
                .blob(request.body.bytes), SQLValue(now), .text(request.by), SQLValue(request.number),
                .blob(request.before.bytes))
            try AuditTrail.note(
                .edit, by: request.by, why: "\(lane.address)/\(request.number)", count: changed, run: request.run,
                bucket: bucket, at: now, in: transaction)
            return changed
        }
        return changed == 1 ? .applied : .refused(gone)
    }

    // MARK: Imports

    func take(_ request: DeadImport) async throws -> Verdict<DeadImport.Value> {
        for letter in request.letters {
            guard letter.forgotten == nil else {
                return .refused(Refusal("letter_forgotten", "\(letter.id): nothing is kept of what it said"))
            }
            guard letter.properties != nil, letter.body != nil, let bucket = Bucket(letter.bucket) else {
                return .refused(Refusal("letter_incomplete", "\(letter.id): properties, body and bucket are needed"))
            }
            guard Self.generations.contains(letter.generation), Self.attempts.contains(letter.attempts) else {
                let text =
                    "generation is from 0 to \(Self.generations.upperBound), attempts to \(Self.attempts.upperBound)"
                return .refused(Refusal("letter_unfit", "\(letter.id): \(text)"))
            }
            guard letter.isOfUsualLength else {
                return .refused(
                    Refusal("letter_unfit", "\(letter.id.rawValue.prefix(255)): a text in it is longer than any here"))
            }
            guard lane.address.owns(bucket) else {
                return .refused(Refusal("not_mine", "\(letter.id): bucket \(letter.bucket) is another partition's"))
            }
        }
        let (now, bucket) = (lane.clock(), bucket)
        return .applied(
            try await lane.database.write { transaction in
                var added = 0
                var forgotten = 0
                for letter in request.letters {
                    if try Forgetting.isForgotten(letter.id, in: transaction) {
                        forgotten += 1
                    } else {
                        added += try Self.insert(letter, in: transaction)
                    }
                }
                try AuditTrail.note(
                    .import, by: request.by, count: added, run: request.run, bucket: bucket, at: now, in: transaction)
                return DeadImport.Value(
                    added: added, known: request.letters.count - added - forgotten,
                    forgotten: forgotten > 0 ? forgotten : nil)
            })
    }

    private static func insert(_ letter: DeadLetterView, in transaction: borrowing Transaction) throws -> Int {
        guard let properties = letter.properties, let body = letter.body else { return 0 }
        return try transaction.run(
            """
            INSERT INTO dead_letters (
                id, bucket, kind, key, reason, step, text, version, exchange, routing_key, attempts, generation,
                first_failure, last_failure, origin, edited_at, edited_by, discarded_at, discarded_by, discarded_why,
                properties, body, original)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                ?23
            WHERE NOT EXISTS (SELECT 1 FROM dead_letters WHERE id = ?1 AND generation = ?12 AND body = ?22)
            """,
            .text(letter.id.rawValue), SQLValue(letter.bucket), .text(letter.kind), SQLValue(letter.key),
            .text(letter.reason), .text(letter.step), .text(letter.text), .text(letter.version), .text(letter.exchange),
            .text(letter.routingKey), SQLValue(letter.attempts), SQLValue(letter.generation),
            SQLValue(letter.firstFailure), SQLValue(letter.lastFailure), SQLValue(letter.origin),
            SQLValue(letter.editedAt), SQLValue(letter.editedBy), SQLValue(letter.discarded?.at),
            SQLValue(letter.discarded?.by), SQLValue(letter.discarded?.why),
            .blob(try MessageJSON.encode(properties)), .blob(body.bytes), SQLValue(letter.original?.bytes))
    }
}

extension DeadLetterView {
    /// Whether its texts are as long as those of a letter that has died in a service of ours: what groups and lists are
    /// made of is read many at a time.
    fileprivate var isOfUsualLength: Bool {
        [id.rawValue, kind, exchange, routingKey].allSatisfy { $0.utf8.count <= 255 }
            && [reason, step, version, editedBy ?? "", discarded?.by ?? ""].allSatisfy { $0.utf8.count <= 4096 }
            && [text, key ?? "", origin ?? "", discarded?.why ?? ""].allSatisfy { $0.utf8.count <= 1 << 17 }
    }
}
