internal import Lane
internal import Messages
internal import SQLite

/// The onboarding steps that apps have declared by sending them.
enum FunnelStepStore {
    /// The most steps that the users of a bucket know by number.
    private static let mostNumbers = Int(UInt16.max)

    /// The number of a step, which is given to it the first time; notes its index, if it is declared later than what is
    /// known.
    ///
    /// - Returns: nil where there are too many.
    static func declare(
        _ step: FunnelStep, of app: App, by bucket: Bucket, in transaction: borrowing Transaction
    ) throws -> UInt16? {
        let place = [SQLValue(app.organisation), SQLValue(app.id), SQLValue(bucket.number), .text(step.step)]
        let known = try transaction.first(
            """
            SELECT number, (?5, ?6) > (declared_at, step_index) FROM funnel_steps
            WHERE organisation = ?1 AND app = ?2 AND bucket = ?3 AND step = ?4
            """, bindings: place + [SQLValue(step.declaredAt), SQLValue(step.index)]
        ) { (number: try $0.int(0), isOlder: try $0.bool(1)) }
        if let known {
            if known.isOlder {
                try transaction.run(
                    """
                    UPDATE funnel_steps SET declared_at = ?5, step_index = ?6
                    WHERE organisation = ?1 AND app = ?2 AND bucket = ?3 AND step = ?4
                    """, bindings: place + [SQLValue(step.declaredAt), SQLValue(step.index)])
            }
            return UInt16(exactly: known.number)
        }
        let next = try transaction.first(
            "SELECT IFNULL(MAX(number) + 1, 0) FROM funnel_steps WHERE organisation = ? AND app = ? AND bucket = ?",
            bindings: Array(place.dropLast())
        ) { try $0.int(0) }
        guard let next, let number = UInt16(exactly: next), next < mostNumbers else { return nil }
        try transaction.run(
            """
            INSERT INTO funnel_steps (organisation, app, bucket, step, number, step_index, declared_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, bindings: place + [SQLValue(next), SQLValue(step.index), SQLValue(step.declaredAt)])
        return number
    }

    /// The steps that were declared last.
    static func newest(
        of app: App, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [FunnelStep] {
        try store.all(
            """
            SELECT step, step_index, MAX(declared_at * 100 + step_index) / 100 AS newest FROM funnel_steps
            WHERE organisation = ? AND app = ? GROUP BY step ORDER BY newest DESC, step LIMIT ?
            """, SQLValue(app.organisation), SQLValue(app.id), SQLValue(limit)
        ) { FunnelStep(step: try $0.text(0), index: try $0.int(1), declaredAt: try $0.time(2)) }
    }

    /// For each bucket, by number, the place of each of its steps among `steps`; −1: it is none of them.
    static func places(
        of steps: [String], in app: App, in store: borrowing some Reading & ~Copyable
    ) throws -> [Int: FunnelCounter.Places] {
        let wanted = Dictionary(zip(steps, 0...), uniquingKeysWith: { first, _ in first })
        var places: [Int: FunnelCounter.Places] = [:]
        try store.forEach(
            "SELECT bucket, number, step FROM funnel_steps WHERE organisation = ? AND app = ? ORDER BY bucket, number",
            SQLValue(app.organisation), SQLValue(app.id)
        ) { row in
            let number = try row.int(1)
            guard (0..<mostNumbers).contains(number) else { return }
            var known = places[try row.int(0)] ?? []
            while known.count <= number { known.append(-1) }
            known[number] = wanted[try row.text(2)] ?? -1
            places[try row.int(0)] = known
        }
        return places
    }
}
