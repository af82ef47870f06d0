internal import Lane
internal import Messages
internal import SQLite

/// The onboarding steps of apps: nobody declares them elsewhere, sending one does. The users of a bucket know each by a
/// number, as long as there are any.
enum FunnelStepStore {
    /// The most steps that the users of a bucket know by number.
    private static let mostNumbers = Int(UInt16.max)
    /// How many of them steps may take that no attested caller has told of: strangers cannot use up all.
    private static let mostUnverifiedNumbers = mostNumbers / 2

    /// The number of a step, which is given to it unless it has one.
    ///
    /// - Returns: nil where there are too many.
    static func number(
        of step: String, _ isAttested: Bool, of app: App, in bucket: Bucket, in transaction: borrowing Transaction
    ) throws -> UInt16? {
        let place = [SQLValue(app.organisation), SQLValue(app.id), SQLValue(bucket.number)]
        let known = try transaction.first(
            "SELECT number FROM funnel_steps WHERE organisation = ? AND app = ? AND bucket = ? AND step = ?",
            bindings: place + [.text(step)]
        ) { try $0.int(0) }
        if let known { return UInt16(exactly: known) }
        let next =
            try spare(at: place, in: transaction)
            ?? transaction.first(
                "SELECT IFNULL(MAX(number) + 1, 0) FROM funnel_steps WHERE organisation = ? AND app = ? AND bucket = ?",
                bindings: place
            ) { try $0.int(0) }
        guard let next, let number = UInt16(exactly: next), next < (isAttested ? mostNumbers : mostUnverifiedNumbers)
        else { return nil }
        try transaction.run(
            """
            INSERT INTO funnel_steps (organisation, app, bucket, number, step, users, attested_users)
            VALUES (?, ?, ?, ?, ?, 0, 0)
            """, bindings: place + [SQLValue(next), .text(step)])
        return number
    }

    /// The number of a step that nobody knows any more, which is forgotten with that.
    private static func spare(at place: [SQLValue], in transaction: borrowing Transaction) throws -> Int? {
        let spare = try transaction.first(
            """
            SELECT number FROM funnel_steps INDEXED BY spare_funnel_steps
            WHERE organisation = ? AND app = ? AND bucket = ? AND users = 0 LIMIT 1
            """, bindings: place
        ) { try $0.int(0) }
        guard let spare else { return nil }
        try transaction.run(
            "DELETE FROM funnel_steps WHERE organisation = ? AND app = ? AND bucket = ? AND number = ?",
            bindings: place + [SQLValue(spare)])
        return spare
    }

    /// Notes that so many more users, or fewer, were shown a step.
    static func count(
        _ users: Int, attested: Int, at number: UInt16, of app: App, in bucket: Bucket,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            UPDATE funnel_steps SET users = users + ?5, attested_users = attested_users + ?6
            WHERE organisation = ?1 AND app = ?2 AND bucket = ?3 AND number = ?4
            """, SQLValue(app.organisation), SQLValue(app.id), SQLValue(bucket.number), SQLValue(Int(number)),
            SQLValue(users), SQLValue(attested))
    }

    /// The steps that most users were shown, first by what attested callers told, and where the newest event puts each.
    static func steps(
        of app: App, in view: FunnelView, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [FunnelStep] {
        let bindings = [SQLValue(app.organisation), SQLValue(app.id)]
        let most = try store.all(
            view.most, bindings: bindings + [SQLValue(limit)]
        ) { (step: try $0.text(0), users: try $0.int(1), attested: try $0.int(2)) }
        let buckets = try store.all(
            "SELECT DISTINCT bucket FROM funnel_steps WHERE organisation = ? AND app = ?", bindings: bindings
        ) { try $0.int(0) }
        return try most.compactMap { step, users, attested in
            var newest: (isAttested: Bool, at: Timestamp, index: Int)?
            for bucket in buckets {
                let found = try store.first(
                    view.newest, bindings: bindings + [SQLValue(bucket), .text(step)]
                ) { (isAttested: try $0.bool(0), at: try $0.time(1), index: try $0.int(2)) }
                guard let found else { continue }
                newest = newest.map { Self.later($0, found) } ?? found
            }
            return newest.map {
                FunnelStep(
                    step: step, index: $0.index, declaredAt: $0.at, isAttested: $0.isAttested, users: users,
                    attestedUsers: attested)
            }
        }
    }

    private static func later(
        _ left: (isAttested: Bool, at: Timestamp, index: Int), _ right: (isAttested: Bool, at: Timestamp, index: Int)
    ) -> (isAttested: Bool, at: Timestamp, index: Int) {
        if left.isAttested != right.isAttested { return left.isAttested ? left : right }
        return (left.at, left.index) < (right.at, right.index) ? right : left
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

extension FunnelView {
    /// The steps with the most users.
    fileprivate var most: SQL {
        let sums = """
            SELECT step, SUM(users) AS users, SUM(attested_users) AS attested FROM funnel_steps
            WHERE organisation = ? AND app = ? AND users > 0 GROUP BY step
            """
        let order =
            switch self {
            case .attested: "HAVING attested > 0 ORDER BY attested DESC, step LIMIT ?"
            case .unverified: "ORDER BY SUM(users) - attested DESC, step LIMIT ?"
            default: "ORDER BY attested DESC, users DESC, step LIMIT ?"
            }
        return SQL(composed: "\(sums) \(order)")
    }

    /// The newest event of a step by the users of a bucket.
    fileprivate var newest: SQL {
        let whose =
            switch self {
            case .attested: "AND is_attested = 1"
            case .unverified: "AND is_attested = 0"
            default: ""
            }
        return SQL(
            composed: """
                SELECT is_attested, at, step_index FROM events INDEXED BY declared_steps
                WHERE organisation = ? AND app = ? AND bucket = ? AND step = ? AND name = 'onboarding_step' \(whose)
                    AND \(EventStore.isShown)
                ORDER BY is_attested DESC, at DESC, step_index DESC LIMIT 1
                """)
    }
}
