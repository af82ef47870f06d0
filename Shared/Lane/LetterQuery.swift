internal import Messages
internal import SQLite

/// A filter as SQL: conditions that indexes serve, put together from the few texts below.
struct LetterQuery: Sendable {
    /// Which part of the table.
    private let whereabouts: String
    private let conditions: String
    private let values: [SQLValue]

    init(_ filter: LetterFilter) throws {
        whereabouts =
            filter.isWherever == true
            ? "true" : filter.isDiscarded ? "discarded_at IS NOT NULL" : "discarded_at IS NULL"
        var conditions: [String] = ["true"]
        var values: [SQLValue] = []
        let lists = [
            ("kind", filter.kinds), ("reason", filter.reasons), ("step", filter.steps), ("key", filter.keys),
            ("version", filter.versions),
        ]
        for (column, texts) in lists {
            guard let texts else { continue }
            conditions.append("\(column) IN (SELECT value FROM json_each(?))")
            values.append(try .texts(texts))
        }
        if let since = filter.since {
            conditions.append("last_failure >= ?")
            values.append(SQLValue(since))
        }
        if let until = filter.until {
            conditions.append("last_failure < ?")
            values.append(SQLValue(until))
        }
        if filter.ids != nil || filter.numbers != nil {
            conditions.append(
                "(id IN (SELECT value FROM json_each(?)) OR number IN (SELECT value FROM json_each(?)))")
            values += [try .texts(filter.ids ?? []), .numbers(filter.numbers ?? [])]
        }
        if let text = filter.text {
            // As bytes: a body may have a zero in it, at which a text would end.
            conditions.append("(instr(text, ?) > 0 OR instr(body, ?) > 0 OR instr(original, ?) > 0)")
            values += [.text(text), .blob(Array(text.utf8)), .blob(Array(text.utf8))]
        }
        self.conditions = conditions.joined(separator: " AND ")
        self.values = values
    }

    /// Numbers in ascending order; of what is forgotten nothing is left to be done.
    func numbers(after number: Int, through last: Int, limit: Int) -> (sql: SQL, bindings: [SQLValue]) {
        (
            SQL(
                composed: """
                    SELECT number FROM dead_letters
                    WHERE \(whereabouts) AND \(conditions) AND forgotten_at IS NULL AND number > ? AND number <= ?
                    ORDER BY number LIMIT ?
                    """), values + [SQLValue(number), SQLValue(last), SQLValue(limit)]
        )
    }

    /// How many of those that are forgotten would have been meant, as far as what is kept of them tells.
    var forgotten: (sql: SQL, bindings: [SQLValue]) {
        (
            SQL(composed: "SELECT count(*) FROM dead_letters WHERE forgotten_at IS NOT NULL AND \(conditions)"), values
        )
    }

    /// Whole rows, the newest first; the numbers are found before anything large is read.
    func page(before number: Int?, limit: Int, isWhole: Bool) -> (sql: SQL, bindings: [SQLValue]) {
        let content = isWhole ? ["properties", "body", "original"] : ["NULL", "NULL", "NULL"]
        // All that strangers and operators fill without an end: how large a page becomes is told by it.
        let texts = ["key", "text", "version", "reason", "step", "kind", "origin", "discarded_why", "forgotten_why"]
        let weight = (texts.map { "CAST(\($0) AS BLOB)" } + content).map { "ifnull(length(\($0)), 0)" }
        return (
            SQL(
                composed: """
                    SELECT number, id, bucket, kind, key, reason, step, text, version, exchange, routing_key, attempts,
                        generation, first_failure, last_failure, length(body), origin, edited_by, edited_at,
                        discarded_at, discarded_by, discarded_why, \(content.joined(separator: ", ")),
                        \(weight.joined(separator: " + ")), forgotten_at, forgotten_by, forgotten_why
                    FROM dead_letters WHERE number IN (
                        SELECT number FROM dead_letters WHERE \(whereabouts) AND \(conditions) AND number < ?
                        ORDER BY number DESC LIMIT ?)
                    ORDER BY number DESC
                    """), values + [SQLValue(number ?? .max), SQLValue(limit)]
        )
    }

    /// The letters by what would mend them, the largest group first.
    var groups: (sql: SQL, bindings: [SQLValue]) {
        (
            SQL(
                composed: """
                    SELECT reason, step, kind, version, count(*), min(first_failure), max(last_failure), max(number)
                    FROM dead_letters WHERE \(whereabouts) AND \(conditions) GROUP BY reason, step, kind, version
                    ORDER BY 5 DESC, 1, 2, 3, 4
                    """), values
        )
    }
}
