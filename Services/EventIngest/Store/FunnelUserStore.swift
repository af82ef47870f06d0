internal import Lane
internal import Messages
internal import SQLite

/// How far each user of an app has come, and whose row is out of date: triggers note that.
enum FunnelUserStore {
    /// Of a user's onboarding steps in an app the first ones count.
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

    /// Makes a user's row anew of all that is known.
    static func renew(_ customer: Customer, in app: App, in transaction: borrowing Transaction) throws {
        var path = try steps(of: customer, in: app, in: transaction)
        path.production = try FunnelFactStore.sales(of: customer, in: app.id, .production, in: transaction)
        path.sandbox = try FunnelFactStore.sales(of: customer, in: app.id, .sandbox, in: transaction)
        let place = [SQLValue(customer.organisation), SQLValue(app.id), SQLValue(customer.user)]
        if path.isEmpty {
            try transaction.run(
                "DELETE FROM funnel_users WHERE organisation = ? AND app = ? AND user = ?", bindings: place)
        } else {
            try transaction.run(
                "REPLACE INTO funnel_users VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                bindings: place + [
                    SQLValue(customer.bucket.number), .blob(path.steps.bytes), SQLValue(path.steppedAt),
                    SQLValue(path.production.exposedAt), SQLValue(path.production.purchasedAt),
                    SQLValue(path.production.isRefunded), SQLValue(path.sandbox.exposedAt),
                    SQLValue(path.sandbox.purchasedAt), SQLValue(path.sandbox.isRefunded),
                ])
        }
        try transaction.run(
            "DELETE FROM funnel_changes WHERE organisation = ? AND user = ? AND app = ?",
            SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(app.id))
    }

    /// The steps that he was shown, with the newest answer to each; their declarations are noted on the way.
    private static func steps(
        of customer: Customer, in app: App, in transaction: borrowing Transaction
    ) throws -> FunnelPath {
        // What is stored as an onboarding step has been read as one.
        let shown = try transaction.all(
            """
            SELECT at, CAST(properties AS TEXT) ->> '$.step', CAST(CAST(properties AS TEXT) ->> '$.index' AS INTEGER),
                CAST(properties AS TEXT) ->> '$.value'
            FROM events INDEXED BY onboarding_steps
            WHERE organisation = ? AND user = ? AND app = ? AND name = 'onboarding_step' ORDER BY at, identity LIMIT ?
            """, SQLValue(customer.organisation), SQLValue(customer.user), SQLValue(app.id), SQLValue(mostEvents)
        ) { row in
            (
                step: FunnelStep(step: try row.text(1), index: try row.int(2), declaredAt: try row.time(0)),
                answer: try row.textOrNil(3)
            )
        }
        var newest: [String: FunnelStep] = [:]
        var answers: [String: String] = [:]
        for (step, answer) in shown {
            newest[step.step] = newest[step.step].map { Funnel.newer($0, step) } ?? step
            if let answer { answers[step.step] = answer }
        }
        var numbered: [UInt16: String?] = [:]
        for step in newest.values.sorted(by: { $0.step < $1.step }) {
            guard let number = try FunnelStepStore.declare(step, of: app, by: customer.bucket, in: transaction)
            else { continue }
            numbered.updateValue(answers[step.step], forKey: number)
        }
        return FunnelPath(steps: StepsReached(numbered), steppedAt: shown.first?.step.declaredAt)
    }
}
