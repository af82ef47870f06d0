internal import Messages
internal import SQLite

/// What operators see of the dead letters, read from a snapshot.
enum LetterPages {
    /// About how large a page may become, whatever its letters hold.
    private static let mostBytes = 4 << 20
    /// What is larger is told without its content: with the third that base64 adds it would be more than a publisher keeps
    /// of answers.
    private static let largestLetter = 40 << 20
    private static let mostLetters = 1000
    private static let mostGroups = 1000

    static func page(_ query: DeadPageGet, in snapshot: borrowing Snapshot) throws -> DeadPageGet.Value {
        let limit = min(max(1, query.limit), mostLetters)
        let (sql, bindings) = try LetterQuery(query.filter).page(
            before: query.before, limit: limit, isWhole: query.isWhole)
        var letters: [DeadLetterView] = []
        var size = 0
        var isFull = false
        try snapshot.visitRows(of: sql, bindings: bindings) { row in
            let weight = try row.int(25)
            let isTold = query.isWhole && weight <= largestLetter
            let letter = try letter(row, isWhole: isTold)
            size += 500 + (isTold || !query.isWhole ? weight : 0)
            letters.append(letter)
            isFull = letters.count == limit || size > mostBytes
            return isFull ? .stop : .next
        }
        return DeadPageGet.Value(letters: letters, next: isFull ? letters.last?.number : nil)
    }

    private static func letter(_ row: borrowing Row, isWhole: Bool) throws -> DeadLetterView {
        var letter = DeadLetterView(
            number: try row.int(0), id: MessageID(rawValue: try row.text(1)), bucket: try row.int(2),
            kind: try row.text(3), key: try row.textOrNil(4), reason: try row.text(5), step: try row.text(6),
            text: try row.text(7), version: try row.text(8), exchange: try row.text(9), routingKey: try row.text(10),
            attempts: try row.int(11), generation: try row.int(12), firstFailure: try row.time(13),
            lastFailure: try row.time(14), size: try row.int(15))
        letter.origin = try row.textOrNil(16)
        letter.editedBy = try row.textOrNil(17)
        letter.editedAt = try row.timeOrNil(18)
        if let at = try row.timeOrNil(19) {
            letter.discarded = DeadLetterView.Discard(
                at: at, by: try row.textOrNil(20) ?? "", why: try row.textOrNil(21) ?? "")
        }
        if let at = try row.timeOrNil(26) {
            letter.forgotten = DeadLetterView.Discard(
                at: at, by: try row.textOrNil(27) ?? "", why: try row.textOrNil(28) ?? "")
            return letter
        }
        if isWhole {
            letter.properties = try row.json(22)
            letter.body = Octets(try row.blob(23))
            letter.original = try row.blobOrNil(24).map(Octets.init)
        }
        return letter
    }

    static func groups(
        _ query: DeadGroupsGet, of address: PartitionAddress, in snapshot: borrowing Snapshot
    ) throws -> DeadGroupsGet.Value {
        var value = DeadGroupsGet.Value(partitions: address.count.rawValue)
        let (sql, bindings) = try LetterQuery(query.filter).groups
        try snapshot.forEach(sql, bindings: bindings) { row in
            let count = try row.int(4)
            guard value.groups.count < mostGroups else { return value.others += count }
            value.groups.append(
                DeadGroupsGet.Group(
                    reason: try row.text(0), step: try row.text(1), kind: try row.text(2), version: try row.text(3),
                    count: count, firstSeen: try row.time(5), lastSeen: try row.time(6), example: try row.int(7),
                    exampleText: ""))
        }
        for index in value.groups.indices {
            value.groups[index].exampleText =
                try snapshot.first(
                    "SELECT substr(text, 1, 1000) FROM dead_letters WHERE number = ?",
                    SQLValue(value.groups[index].example)
                ) { try $0.text(0) } ?? ""
        }
        func count(_ sql: SQL) throws -> Int { try snapshot.first(sql) { try $0.int(0) } ?? 0 }
        value.dead = try count("SELECT count(*) FROM dead_letters WHERE discarded_at IS NULL")
        value.discarded = try count("SELECT count(*) FROM dead_letters WHERE discarded_at IS NOT NULL")
        value.oldest = try snapshot.first(
            "SELECT last_failure FROM dead_letters WHERE discarded_at IS NULL ORDER BY last_failure LIMIT 1"
        ) { try $0.time(0) }
        value.replaying = try SelectionTable.countOnTheWay(in: snapshot)
        value.retrying = try count("SELECT count(*) FROM retrying")
        value.everDied = try count("SELECT ifnull(sum(count), 0) FROM tallies WHERE ending = 'dead'")
        value.everEnded = try count(
            """
            SELECT ifnull(sum(count), 0) FROM tallies
            WHERE ending IN ('applied', 'refused', 'request applied', 'request refused')
            """)
        return value
    }
}
