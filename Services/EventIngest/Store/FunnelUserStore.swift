internal import Lane
internal import Messages
internal import SQLite

/// How far each user of an app has come, and whose row is out of date: triggers note that.
enum FunnelUserStore {
    /// Of a user's onboarding events in an app these count: those of attested callers first, and the first ones.
    private static let mostEvents = 1000

    /// Whether any row is out of date.
    static func hasChanges(in store: borrowing some Reading & ~Copyable) throws -> Bool {
        try store.exists("SELECT 1 FROM funnel_changes LIMIT 1")
    }

    /// Whose rows are out of date.
    static func changed(
        limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [(customer: Customer, app: App)] {
        try store.all("SELECT organisation, user, app FROM funnel_changes LIMIT ?", SQLValue(limit)) { row in
            (Customer(try row.id(0), try row.id(1)), App(try row.id(0), try row.id(2)))
        }
    }

    /// Makes a user's rows anew of all that is known.
    static func renew(_ customer: Customer, in app: App, in transaction: borrowing Transaction) throws {
        let story = FunnelStory(
            shown: try steps(of: customer, in: app, in: transaction),
            exposures: try FunnelFactStore.exposures(of: customer, in: app.id, in: transaction),
            purchases: try FunnelFactStore.purchases(of: customer, in: app.id, in: transaction))
        let place = [SQLValue(customer.organisation), SQLValue(app.id), SQLValue(customer.user)]
        let numbers = try renewNumbers(of: story, at: place, customer, in: app, in: transaction)
        try transaction.run(
            "DELETE FROM funnel_users WHERE organisation = ? AND app = ? AND user = ?", bindings: place)
        for (views, path) in story.paths {
            var answers: [UInt16: String?] = [:]
            for (step, answer) in path.steps {
                if let number = numbers[step] { answers.updateValue(answer, forKey: number) }
            }
            try transaction.run(
                "INSERT INTO funnel_users VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                bindings: place + [
                    SQLValue(views.rawValue), SQLValue(customer.bucket.number),
                    .blob(StepsReached(answers).bytes), SQLValue(path.steppedAt),
                    SQLValue(path.production.exposedAt), SQLValue(path.production.purchasedAt),
                    SQLValue(path.production.isRefunded), SQLValue(path.sandbox.exposedAt),
                    SQLValue(path.sandbox.purchasedAt), SQLValue(path.sandbox.isRefunded),
                ])
        }
        try transaction.run(
            "DELETE FROM funnel_changes WHERE organisation = ? AND user = ? AND app = ?",
            SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(app.id))
    }

    /// The steps that he was shown: what attested callers told first, then by time.
    private static func steps(
        of customer: Customer, in app: App, in transaction: borrowing Transaction
    ) throws -> [FunnelStory.Shown] {
        try transaction.all(
            shownSteps, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(app.id),
            SQLValue(mostEvents)
        ) { row in
            FunnelStory.Shown(
                step: try row.text(0), answer: try row.textOrNil(1), at: try row.time(2), isAttested: try row.bool(3))
        }
    }

    // What is stored as an onboarding step has been read as one.
    private static let shownSteps = SQL(
        composed: """
            SELECT step, CAST(properties AS TEXT) ->> '$.value', at, is_attested
            FROM events INDEXED BY onboarding_steps
            WHERE organisation = ? AND user = ? AND app = ? AND name = 'onboarding_step' AND \(EventStore.isShown)
            ORDER BY is_attested DESC, at, identity LIMIT ?
            """)

    /// The numbers of the steps that he was shown; each step knows then that he was, and those that he was not after all.
    private static func renewNumbers(
        of story: FunnelStory, at place: [SQLValue], _ customer: Customer, in app: App,
        in transaction: borrowing Transaction
    ) throws -> [String: UInt16] {
        func count(_ users: Int, _ attested: Int, at number: UInt16) throws {
            try FunnelStepStore.count(
                users, attested: attested, at: number, of: app, in: customer.bucket, in: transaction)
        }
        var known = try countedNumbers(at: place, in: transaction)
        var numbers: [String: UInt16] = [:]
        let attested = story.attestedSteps
        for step in Set(story.shown.map(\.step)).sorted() {
            let isAttested = attested.contains(step)
            let number = try FunnelStepStore.number(of: step, isAttested, of: app, in: customer.bucket, in: transaction)
            guard let number else { continue }
            numbers[step] = number
            // At once: what has no users may lose its number to the next one.
            let wasAttested = known.removeValue(forKey: number)
            try count(
                wasAttested == nil ? 1 : 0, (isAttested ? 1 : 0) - (wasAttested == true ? 1 : 0), at: number)
        }
        for (number, wasAttested) in known { try count(-1, wasAttested ? -1 : 0, at: number) }
        return numbers
    }

    /// The steps that he is counted at, by number: whether attested callers told of them.
    private static func countedNumbers(
        at place: [SQLValue], in transaction: borrowing Transaction
    ) throws -> [UInt16: Bool] {
        let rows = try transaction.all(
            "SELECT views, steps FROM funnel_users WHERE organisation = ? AND app = ? AND user = ?", bindings: place
        ) { (views: FunnelView(rawValue: try $0.int(0)), steps: StepsReached(bytes: try $0.blob(1))) }
        var numbers: [UInt16: Bool] = [:]
        for (views, steps) in rows {
            steps.forEach { number, _ in
                guard let number = UInt16(exactly: number) else { return }
                numbers[number] = numbers[number] ?? false || views.contains(.attested)
            }
        }
        return numbers
    }
}
