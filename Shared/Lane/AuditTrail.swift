internal import Crypto
package import Messages
package import SQLite

/// Who did what, to how many, and from which preview. Nothing takes a line out of it.
package enum AuditTrail {
    package enum Deed: String {
        case replay, replayAsNew = "replay_as_new", discard, restore, forget, edit, `import`
        case undoLink = "undo_link", unpinLink = "unpin_link", resendLinks = "resend_links", eraseUser = "erase_user"
        case putApp = "put_app", addKey = "add_key", revokeKey = "revoke_key", revokeDevice = "revoke_device"
        case mapProduct = "map_product", setPaywall = "set_paywall", setPlacement = "set_placement"
        case createExperiment = "create_experiment", startExperiment = "start_experiment"
        case changeExperiment = "change_experiment", stopExperiment = "stop_experiment"
        case ruleNames = "rule_names", releaseNames = "release_names", reverify
    }

    /// Notes a deed, or that it was gone on with.
    package static func note(
        _ deed: Deed, by name: String, why: String? = nil, count: Int, run: MessageID, filter: LetterFilter? = nil,
        bucket: Bucket, at now: Timestamp, in transaction: borrowing Transaction
    ) throws {
        guard count > 0 else { return }
        try transaction.run(
            """
            INSERT INTO audit_trail (bucket, at, last_at, by, deed, why, count, run, filter)
            VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (run, deed, by) DO UPDATE SET last_at = excluded.last_at, count = count + excluded.count
            """,
            SQLValue(bucket.number), SQLValue(now), .text(name), .text(deed.rawValue), SQLValue(why), SQLValue(count),
            .text(run.rawValue),
            SQLValue(try filter.map { String(decoding: try MessageJSON.encode($0.forEver), as: UTF8.self) }))
    }

    /// About how large a page may become, whatever operators have said.
    private static let mostBytes = 4 << 20

    /// The newest first.
    ///
    /// - Returns: also where the next page begins; nil: this is the last one.
    static func page(before number: Int?, limit: Int, in snapshot: borrowing Snapshot) throws -> (
        entries: [AuditPageGet.Entry], next: Int?
    ) {
        var entries: [AuditPageGet.Entry] = []
        var size = 0
        var isFull = false
        try snapshot.visitRows(
            of: """
                SELECT number, at, last_at, by, deed, why, count, run, filter FROM audit_trail WHERE number < ?
                ORDER BY number DESC LIMIT ?
                """, bindings: [SQLValue(number ?? .max), SQLValue(limit)]
        ) { row in
            let (why, filter) = (try row.textOrNil(5), try row.textOrNil(8))
            entries.append(
                AuditPageGet.Entry(
                    number: try row.int(0), at: try row.time(1), lastAt: try row.time(2), by: try row.text(3),
                    deed: try row.text(4), why: why, count: try row.int(6), run: MessageID(rawValue: try row.text(7)),
                    filter: try filter.map { try MessageJSON.decode(LetterFilter.self, from: Array($0.utf8)) }))
            size += 500 + (why?.utf8.count ?? 0) + (filter?.utf8.count ?? 0)
            isFull = entries.count == limit || size >= mostBytes
            return isFull ? .stop : .next
        }
        return (entries, isFull ? entries.last?.number : nil)
    }
}

extension MessageContext {
    /// Notes in the audit trail that an operator's command has changed `what`, which has to name no user.
    ///
    /// - Parameter isStep: of many that are one deed, to be counted in one line, which says the `what` of the first.
    package func note(
        _ deed: AuditTrail.Deed, _ what: String, count: Int = 1, isStep: Bool = false,
        in transaction: borrowing Transaction
    ) throws {
        try AuditTrail.note(
            deed, by: by.map { String($0.prefix(200)) } ?? "not said", why: String(what.prefix(500)), count: count,
            run: isStep ? cause ?? id : id, bucket: bucket, at: now, in: transaction)
    }
}

extension LetterFilter {
    /// As it may be kept: keys and texts may name a user who is erased one day, and who knows one can still tell by its
    /// SHA-256 that it was meant. Of one that is so already nothing changes.
    var forEver: LetterFilter {
        var filter = self
        filter.keys = keys?.map(Self.digest)
        filter.text = text.map(Self.digest)
        return filter
    }

    private static let mark = "sha256:"

    private static func digest(_ text: String) -> String {
        let isDigest = text.hasPrefix(mark) && text.utf8.count == mark.utf8.count + 64
        return isDigest ? text : mark + Digest.sha256(text.utf8).hexadecimal
    }
}
