internal import Messages

/// What an erasure takes, and what each service has done.
struct ErasureReport: Encodable, Sendable {
    /// What one service keeps of him, and has done about it.
    struct Part: Encodable, Sendable {
        var service: ServiceName
        /// What named him before, by table; absent: it did not answer.
        var rows: [String: Int]?
        /// What names him again: said of him since.
        var rowsSince: [String: Int] = [:]
        /// Partitions that have not followed yet.
        var waitsFor: [Int] = []
        /// Whether every partition has followed the erasure.
        var hasFollowed = false

        init(service: ServiceName, before found: [UserTraces.Value]?) {
            self.service = service
            rows = found.map(Self.rows)
        }

        /// Takes what the service says after the erasure; nil: it does not answer.
        mutating func look(at found: [UserTraces.Value]?, after erasedAt: Timestamp) {
            guard let found else { return }
            rowsSince = Self.rows(found)
            waitsFor = found.indices.filter { found[$0].isPending || found[$0].erasedAt ?? .distantPast < erasedAt }
            hasFollowed = waitsFor.isEmpty
        }

        private static func rows(_ found: [UserTraces.Value]) -> [String: Int] {
            found.reduce(into: [:]) { rows, traces in rows.merge(traces.rows) { $0 + $1 } }
        }
    }

    var organisation: OrganisationID
    var user: AppUserID
    /// Whether it was done, or only looked at.
    var isDone: Bool
    /// By service.
    var parts: [Part]
    /// Up to when he is forgotten.
    var erasedAt: Timestamp?
    var letters: NamingLetters
    /// What the others keep.
    let others = [
        "receipt-validator":
            "keeps nothing by user; what stores signed stays as they signed it, an app account token included",
        "attest-gateway": "keeps nothing by user",
    ]

    init(
        organisation: OrganisationID, user: AppUserID, isDone: Bool, parts: [Part], letters: NamingLetters
    ) {
        self.organisation = organisation
        self.user = user
        self.isDone = isDone
        self.parts = parts
        self.letters = letters
    }

    /// Whether every service has followed.
    var isComplete: Bool { parts.allSatisfy(\.hasFollowed) }

    /// For people.
    var text: String {
        var lines = parts.map { part in
            guard let rows = part.rows else { return "\(part.service) does not answer: what it keeps is not known" }
            let verb = !isDone ? "would forget" : part.hasFollowed ? "has forgotten" : "is to forget"
            return "\(part.service) \(verb) \(user): \(Self.text(of: rows))"
        }
        lines += others.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        lines += letters.lines
        for part in parts where part.hasFollowed && !part.rowsSince.isEmpty {
            lines.append("\(part.service) was told of him again since: \(Self.text(of: part.rowsSince))")
        }
        if let erasedAt {
            let late = parts.filter { !$0.hasFollowed }.flatMap { part in
                part.waitsFor.isEmpty
                    ? [part.service.rawValue] : part.waitsFor.map { "\(part.service).\($0)" }
            }
            lines.append(
                late.isEmpty
                    ? "done: nothing from before \(erasedAt.rfc3339) brings him back"
                    : "not done yet: \(late.joined(separator: ", ")) will follow; the same command again says when")
        } else {
            lines.append("nothing was changed, --yes does it")
        }
        return lines.map(\.onOneLine).joined(separator: "\n")
    }

    private static func text(of rows: [String: Int]) -> String {
        KeptRows.text(of: rows) ?? "nothing names him"
    }
}
