internal import Messages
internal import SQLite

/// What operators have selected, letter by letter, and what has become of each.
enum SelectionTable {
    /// A letter of a selection that is to be put back.
    struct Claim: Sendable {
        var letter: Int
        var message: StoredLetter
    }

    /// How long a selection is kept.
    private static let kept = Duration.seconds(30 * 86_400)
    /// How many letters one transaction takes in: the lane waits meanwhile.
    private static let portion = 5000

    // MARK: Freezing

    /// Begins a selection; nothing if it is there.
    static func begin(
        _ run: MessageID, _ filter: LetterFilter, by name: String, bucket: Bucket, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO selections (run, bucket, filter, by, made_at, complete) VALUES (?, ?, ?, ?, ?, 0)
            ON CONFLICT DO NOTHING
            """,
            .text(run.rawValue), SQLValue(bucket.number),
            .text(String(decoding: try MessageJSON.encode(filter), as: UTF8.self)), .text(name), SQLValue(now))
        // One at a time: it may have very many letters.
        let old = try transaction.first(
            "SELECT run FROM selections WHERE made_at < ? ORDER BY made_at LIMIT 1", SQLValue(now - kept)
        ) { try $0.text(0) }
        guard let old else { return }
        try transaction.run("DELETE FROM selected_letters WHERE run = ?", .text(old))
        try transaction.run("DELETE FROM selections WHERE run = ?", .text(old))
    }

    static func isComplete(_ run: MessageID, in transaction: borrowing Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM selections WHERE run = ? AND complete = 1", .text(run.rawValue))
    }

    /// Takes in some letters after `number`, none above `last`.
    ///
    /// - Returns: where to go on; nil when all are in.
    static func take(
        _ query: LetterQuery, into run: MessageID, after number: Int, through last: Int,
        in transaction: borrowing Transaction
    ) throws -> Int? {
        let (sql, bindings) = query.numbers(after: number, through: last, limit: portion)
        let page = try transaction.all(sql, bindings: bindings) { try $0.int(0) }
        if let end = page.last {
            try transaction.run(
                """
                INSERT INTO selected_letters (run, letter, bucket, id, generation, outcome)
                SELECT ?, number, bucket, id, min(max(generation, ?), ?) + 1, 'frozen' FROM dead_letters
                WHERE number IN (SELECT value FROM json_each(?)) ON CONFLICT DO NOTHING
                """, .text(run.rawValue), SQLValue(StoredLetter.counts.lowerBound),
                SQLValue(StoredLetter.counts.upperBound), .numbers(page))
            if page.count == portion { return end }
        }
        // It has found its letters: whom it named to find them need not be known any longer.
        let filter = try filter(of: run, in: transaction)?.forEver
        try transaction.run(
            "UPDATE selections SET complete = 1, filter = ifnull(?, filter) WHERE run = ?",
            SQLValue(try filter.map { String(decoding: try MessageJSON.encode($0), as: UTF8.self) }),
            .text(run.rawValue))
        return nil
    }

    /// What has been frozen.
    static func frozen(_ run: MessageID, mostReplays: Int, in snapshot: borrowing Snapshot) throws -> DeadFreeze.Value {
        var value = try snapshot.first(
            """
            SELECT count(*), ifnull(sum(s.generation > ?2 OR d.reason = 'crashed'), 0), min(d.last_failure),
                max(d.last_failure), count(d.discarded_at)
            FROM selected_letters s LEFT JOIN dead_letters d ON d.number = s.letter WHERE s.run = ?1
            """, .text(run.rawValue), SQLValue(mostReplays)
        ) { row in
            var value = DeadFreeze.Value(
                count: try row.int(0), guarded: try row.int(1), oldest: try row.timeOrNil(2),
                newest: try row.timeOrNil(3))
            value.discarded = try row.int(4)
            return value
        }
        value?.examples = try snapshot.all(
            "SELECT letter FROM selected_letters WHERE run = ? ORDER BY letter DESC LIMIT 3", .text(run.rawValue)
        ) { try $0.int(0) }
        return value ?? DeadFreeze.Value(count: 0, guarded: 0)
    }

    /// - Parameter now: what is older than selections are kept is forgotten, though it may be there yet; not all partitions
    ///   come to it at the same time. Nil: it counts as long as it is there.
    static func filter(
        of run: MessageID, at now: Timestamp? = nil, in store: borrowing some Reading & ~Copyable
    ) throws -> LetterFilter? {
        let oldest = now.map { $0 - kept } ?? Timestamp(clamping: 0)
        return try store.first(
            "SELECT filter FROM selections WHERE run = ? AND made_at >= ?", .text(run.rawValue), SQLValue(oldest)
        ) { try MessageJSON.decode(LetterFilter.self, from: Array($0.text(0).utf8)) }
    }

    // MARK: Replaying

    /// The next letters to put back, up to about `bytes` bytes; those that are not to be are marked with why.
    ///
    /// - Returns: the letters, the last one looked at, and where to go on; nil at the end.
    static func claim(
        _ request: DeadReplay, after number: Int, count: Int, bytes: Int, in transaction: borrowing Transaction
    ) throws -> (claims: [Claim], last: Int?, next: Int?) {
        var claims: [Claim] = []
        var marked: [ReplayOutcome: [Int]] = [:]
        var last: Int?
        var size = 0
        var isFull = false
        try transaction.visitRows(
            of: """
                SELECT s.letter, d.id, d.bucket, d.reason, d.exchange, d.routing_key, d.generation, d.first_failure,
                    d.properties, d.body, d.id IS NULL
                FROM selected_letters s LEFT JOIN dead_letters d ON d.number = s.letter AND d.discarded_at IS NULL
                WHERE s.run = ? AND s.outcome IN ('frozen', 'sending') AND s.letter > ? ORDER BY s.letter LIMIT ?
                """, bindings: [.text(request.run.rawValue), SQLValue(number), SQLValue(count)]
        ) { row in
            let letter = try row.int(0)
            last = letter
            if try row.bool(10) {
                marked[.gone, default: []].append(letter)
                return .next
            }
            let message = try StoredLetter(row, from: 1)
            if message.isGuarded(mostReplays: request.mostReplays), !request.isForced {
                marked[.guarded, default: []].append(letter)
                return .next
            }
            size += message.size
            claims.append(Claim(letter: letter, message: message))
            isFull = size >= bytes
            return isFull ? .stop : .next
        }
        for (outcome, letters) in marked where outcome != .gone {
            try mark(letters, outcome, of: request.run, in: transaction)
        }
        try markGone(marked[.gone] ?? [], of: request.run, in: transaction)
        guard let last else { return ([], nil, nil) }
        try transaction.forsake(claims, by: request.run, after: number, through: last)
        // What is still frozen as far as that has just been read: everything that is claimed, and nothing else.
        try transaction.run(
            """
            UPDATE selections
            SET claimed_after = iif(claimed_after < claimed_through, claimed_after, ?), claimed_through = ?
            WHERE run = ?
            """, SQLValue(number), SQLValue(last), .text(request.run.rawValue))
        let found = claims.count + marked.values.reduce(0) { $0 + $1.count }
        return (claims, last, isFull || found == count ? last : nil)
    }

    /// Marks what is still to be done.
    static func mark(
        _ letters: [Int], _ outcome: ReplayOutcome, of run: MessageID, in transaction: borrowing Transaction
    ) throws {
        guard !letters.isEmpty else { return }
        try transaction.run(
            """
            UPDATE selected_letters SET outcome = ?2
            WHERE run = ?1 AND letter IN (SELECT value FROM json_each(?3)) AND outcome IN ('frozen', 'sending')
            """, .text(run.rawValue), .text(outcome.rawValue), .numbers(letters))
    }

    /// These are not where they should be: replayed or moved by somebody else, or forgotten.
    static func markGone(_ letters: [Int], of run: MessageID, in transaction: borrowing Transaction) throws {
        guard !letters.isEmpty else { return }
        let forgotten = try transaction.all(
            """
            SELECT number FROM dead_letters
            WHERE number IN (SELECT value FROM json_each(?)) AND forgotten_at IS NOT NULL
            """, .numbers(letters)
        ) { try $0.int(0) }
        try mark(forgotten, .forgotten, of: run, in: transaction)
        try mark(letters, .gone, of: run, in: transaction)
    }

    /// The broker has these: they leave the table. Those that the lane has had in hand meanwhile have left it.
    static func confirm(_ letters: [Int], of run: MessageID, in transaction: borrowing Transaction) throws {
        let left = try transaction.all(
            """
            UPDATE selected_letters SET outcome = 'sent'
            WHERE run = ? AND letter IN (SELECT value FROM json_each(?)) AND outcome IN ('frozen', 'sending')
            RETURNING letter
            """, .text(run.rawValue), .numbers(letters)
        ) { try $0.int(0) }
        try DeadLetterTable.remove(left, in: transaction)
    }

    /// What is claimed by `run` and not above `letter`, or all of it, is not on its way any more, but for what is marked one
    /// by one.
    static func settled(through letter: Int? = nil, of run: MessageID, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "UPDATE selections SET claimed_after = ifnull(?, claimed_through) WHERE run = ?", SQLValue(letter),
            .text(run.rawValue))
    }

    /// Whatever a replay had in hand that came to no end, for the process died or the store took no writes, is marked one by
    /// one: the next claims are others.
    static func markLeftovers(in transaction: borrowing Transaction) throws {
        try transaction.run(
            """
            UPDATE selected_letters SET outcome = 'sending'
            FROM (SELECT run AS held_by, letter AS held FROM letters_on_their_way) WHERE run = held_by AND letter = held
            """)
        try transaction.run(
            "UPDATE selections SET claimed_after = claimed_through WHERE claimed_after < claimed_through")
    }

    /// What was held back for want of force is to be done after all.
    static func force(_ run: MessageID, in transaction: borrowing Transaction) throws {
        try transaction.run(
            "UPDATE selected_letters SET outcome = 'frozen' WHERE run = ? AND outcome = 'guarded'",
            .text(run.rawValue))
    }

    static func countToDo(of run: MessageID, in store: borrowing some Reading & ~Copyable) throws -> Int {
        try store.first(
            "SELECT count(*) FROM selected_letters WHERE run = ? AND outcome IN ('frozen', 'sending')",
            .text(run.rawValue)
        ) { try $0.int(0) } ?? 0
    }

    /// The letters that are on their way under one of `ids`, and their bodies, where they are in the table yet.
    static func visitOpen(
        _ ids: [MessageID], in transaction: borrowing Transaction,
        _ visit: (_ run: MessageID, _ letter: Int, _ id: MessageID, _ generation: Int, _ body: [UInt8]?) throws -> Void
    ) throws {
        try transaction.forEach(
            """
            SELECT s.run, s.letter, s.id, s.generation, d.body
            FROM selected_letters s LEFT JOIN dead_letters d ON d.number = s.letter
            WHERE s.id IN (SELECT value FROM json_each(?1)) AND s.outcome IN ('sending', 'sent', 'retrying')
            UNION ALL
            SELECT s.run, s.letter, s.id, s.generation, d.body
            FROM selections o CROSS JOIN dead_letters d CROSS JOIN selected_letters s
            WHERE o.claimed_after < o.claimed_through AND d.id IN (SELECT value FROM json_each(?1))
                AND d.number > o.claimed_after AND d.number <= o.claimed_through
                AND s.run = o.run AND s.letter = d.number AND s.outcome = 'frozen'
            """, try .texts(ids.map(\.rawValue))
        ) { row in
            try visit(
                MessageID(rawValue: try row.text(0)), try row.int(1), MessageID(rawValue: try row.text(2)),
                try row.int(3), try row.blobOrNil(4))
        }
    }

    /// What became of these, which were on their way.
    static func note(
        _ outcome: ReplayOutcome, _ why: Refusal?, of letters: [Int], of run: MessageID,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE selected_letters SET outcome = ?, reason = ?, text = ?
            WHERE run = ? AND letter IN (SELECT value FROM json_each(?))
            """,
            .text(outcome.rawValue), SQLValue(why?.reason), SQLValue(why?.message), .text(run.rawValue),
            .numbers(letters))
    }

    // MARK: Looking

    /// Replayed, confirmed, and not yet in the lane's hands.
    static func countOnTheWay(in snapshot: borrowing Snapshot) throws -> Int {
        try snapshot.first(
            """
            SELECT count(*) FROM selected_letters
            WHERE outcome IN ('sending', 'sent', 'retrying') AND outcome = 'sent'
            """
        ) { try $0.int(0) } ?? 0
    }

    /// The largest groups of outcomes; what there is besides counts under the outcome alone.
    static func outcomes(of run: MessageID, in snapshot: borrowing Snapshot) throws -> [OutcomeCount] {
        var counts: [OutcomeCount] = []
        try snapshot.forEach(
            """
            SELECT iif(outcome = 'frozen' AND letter > claimed_after AND letter <= claimed_through, 'sending', outcome)
                AS now, reason, count(*), min(letter), text
            FROM selected_letters s JOIN selections o ON o.run = s.run WHERE s.run = ?
            GROUP BY now, reason ORDER BY 3 DESC
            """, .text(run.rawValue)
        ) { row in
            let outcome = ReplayOutcome(rawValue: try row.text(0))
            let count = OutcomeCount(
                outcome: outcome, reason: try row.textOrNil(1), count: try row.int(2), example: try row.int(3),
                text: try row.textOrNil(4))
            guard counts.count >= 500 else { return counts.append(count) }
            if let index = counts[500...].firstIndex(where: { $0.outcome == outcome }) {
                counts[index].count += count.count
            } else {
                counts.append(
                    OutcomeCount(
                        outcome: outcome, reason: "various", count: count.count, example: count.example, text: nil))
            }
        }
        return counts
    }
}

extension SQLValue {
    /// A list of numbers, for `json_each`: one statement for any length.
    static func numbers(_ numbers: [Int]) -> SQLValue {
        .text("[" + numbers.map(String.init).joined(separator: ",") + "]")
    }

    /// A list of texts, for `json_each`.
    static func texts(_ texts: [String]) throws -> SQLValue {
        .text(String(decoding: try MessageJSON.encode(texts), as: UTF8.self))
    }
}

extension Transaction {
    /// Whoever left one of them half-way has lost it to this selection.
    ///
    /// - Parameters:
    ///   - number: all of them are above it.
    ///   - last: none of them is.
    fileprivate func forsake(
        _ claims: [SelectionTable.Claim], by run: MessageID, after number: Int, through last: Int
    ) throws {
        // Hardly ever: a look at where they would be costs less than to look for each.
        let isAny = try exists(
            """
            SELECT 1 FROM selected_letters WHERE outcome = 'sending' AND letter > ? AND letter <= ? AND run <> ?
            """, SQLValue(number), SQLValue(last), .text(run.rawValue))
        guard isAny else { return }
        try self.run(
            """
            UPDATE selected_letters SET outcome = 'gone'
            WHERE outcome = 'sending' AND run <> ? AND letter IN (SELECT value FROM json_each(?))
            """, .text(run.rawValue), .numbers(claims.map(\.letter)))
    }
}
