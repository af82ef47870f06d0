internal import Lane
internal import Messages
internal import SQLite

/// The verdicts on artifacts, for each app.
enum VerdictStore {
    /// Where a page ended: the name of the last verdict that was looked at.
    typealias Position = KeptVerdict.Name

    /// Which verdicts are asked for; all that is nil is any.
    struct Filter {
        var organisation: OrganisationID?
        var app: AppID?
        var kind: Artifact.Kind?
        var reason: String?
        var digest: ArtifactDigest?
    }

    /// The verdict of this name; nil: not judged yet.
    static func verdict(
        on name: KeptVerdict.Name, in store: borrowing some Reading & ~Copyable
    ) throws -> KeptVerdict? {
        try store.first(one, bindings: bindings(name)) { try kept($0) }
    }

    /// Keeps a verdict in place of the one that is there.
    static func record(_ kept: KeptVerdict, bucket: Bucket, in transaction: borrowing Transaction) throws {
        var facts: [UInt8]?
        var grounds: ArtifactVerdict.Grounds?
        switch kept.verdict {
        case .verified(let told): facts = try MessageJSON.encode(told)
        case .refused(let refused): grounds = refused
        }
        try transaction.run(
            """
            REPLACE INTO verdicts (
                organisation, app, digest, kind, bucket, as_of, judged_at, app_version, is_test, ruleset, revision,
                facts, step, reason, message)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            bindings: bindings(kept.name) + [
                SQLValue(bucket.number), SQLValue(kept.asOf), SQLValue(kept.judgedAt), SQLValue(kept.appVersion),
                SQLValue(kept.isTest), SQLValue(kept.ruleset), SQLValue(kept.revision), SQLValue(facts),
                SQLValue(grounds?.step), SQLValue(grounds?.reason), SQLValue(grounds?.text),
            ])
    }

    /// The next `limit` verdicts behind `position`, by name; `filter` still has to be asked which of them it takes.
    static func page(
        _ filter: Filter, after position: Position?, limit: Int, in store: borrowing some Reading & ~Copyable
    ) throws -> [KeptVerdict] {
        var conditions: [String] = []
        var bindings: [SQLValue] = []
        func demand(_ condition: String, _ values: SQLValue...) {
            conditions.append(condition)
            bindings += values
        }
        if let digest = filter.digest { demand("digest = ?", SQLValue(digest)) }
        if let organisation = filter.organisation { demand("organisation = ?", SQLValue(organisation)) }
        if let app = filter.app { demand("app = ?", SQLValue(app)) }
        if let position {
            demand(
                "(organisation, app, digest, kind) > (?, ?, ?, ?)", SQLValue(position.organisation),
                SQLValue(position.app), SQLValue(position.digest), SQLValue(position.kind))
        }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        return try store.all(
            SQL(composed: "\(select) \(condition) ORDER BY organisation, app, digest, kind LIMIT ?"),
            bindings: bindings + [SQLValue(limit)]
        ) { try kept($0) }
    }

    private static let select = """
        SELECT organisation, app, digest, kind, is_test, as_of, judged_at, app_version, ruleset, revision, facts, step,
            reason, message
        FROM verdicts
        """
    private static let one = SQL(
        composed: select + " WHERE organisation = ? AND app = ? AND digest = ? AND kind = ?")

    private static func bindings(_ name: KeptVerdict.Name) -> [SQLValue] {
        [SQLValue(name.organisation), SQLValue(name.app), SQLValue(name.digest), SQLValue(name.kind)]
    }

    private static func kept(_ row: borrowing Row) throws -> KeptVerdict {
        let verdict: ArtifactVerdict
        if let facts = try row.blobOrNil(10) {
            verdict = .verified(try MessageJSON.decode(ArtifactFacts.self, from: facts))
        } else {
            verdict = .refused(.init(step: try row.text(11), reason: try row.text(12), text: try row.text(13)))
        }
        return KeptVerdict(
            name: .init(
                organisation: try row.id(0), app: try row.id(1), digest: try row.id(2), kind: try row.id(3)),
            verdict: verdict, isTest: try row.bool(4), asOf: try row.time(5), judgedAt: try row.time(6),
            appVersion: try row.int(7), ruleset: try row.int(8), revision: try row.int(9))
    }
}

extension VerdictStore.Filter {
    /// Whether a verdict of the page is among those asked for.
    func takes(_ kept: KeptVerdict) -> Bool {
        if let kind, kept.name.kind != kind { return false }
        guard let reason else { return true }
        guard case .refused(let grounds) = kept.verdict else { return false }
        return grounds.reason == reason
    }
}
