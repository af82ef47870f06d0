internal import Messages

/// What an erasure takes, and what each service has done.
struct ErasureReport: Encodable, Sendable {
    var organisation: OrganisationID
    var user: AppUserID
    /// Whether it was done, or only looked at.
    var isDone: Bool
    /// What named him before, of entitlement-resolver, by table.
    var rows: [String: Int]
    /// Up to when he is forgotten.
    var erasedAt: Timestamp?
    /// What names him again: said of him since.
    var rowsSince: [String: Int] = [:]
    /// Partitions of entitlement-resolver that have not followed yet.
    var waitsFor: [Int] = []
    var letters: NamingLetters
    /// What the others keep.
    let others = [
        "receipt-validator":
            "keeps nothing by user; what stores signed stays as they signed it, an app account token included",
        "attest-gateway": "keeps nothing by user",
    ]

    init(
        organisation: OrganisationID, user: AppUserID, isDone: Bool, rows: [String: Int], letters: NamingLetters
    ) {
        self.organisation = organisation
        self.user = user
        self.isDone = isDone
        self.rows = rows
        self.letters = letters
    }

    /// For people.
    var text: String {
        var lines: [String] = []
        let verb = isDone ? "has forgotten" : "would forget"
        lines.append("entitlement-resolver \(verb) \(user): \(Self.text(of: rows))")
        lines += others.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        lines += letters.lines
        if !rowsSince.isEmpty, waitsFor.isEmpty { lines.append("named again since: \(Self.text(of: rowsSince))") }
        if !waitsFor.isEmpty {
            let names = waitsFor.map { "entitlement-resolver.\($0)" }.joined(separator: ", ")
            lines.append("not done yet: \(names) will follow; the same command again says when")
        } else if let erasedAt {
            lines.append("done: nothing from before \(erasedAt.rfc3339) brings him back")
        } else {
            lines.append("nothing was changed, --yes does it")
        }
        return lines.map(\.onOneLine).joined(separator: "\n")
    }

    private static func text(of rows: [String: Int]) -> String {
        let parts = rows.sorted { $0.key < $1.key }.map { "\($0.value) in \($0.key)" }
        return parts.isEmpty ? "nothing names him" : parts.joined(separator: ", ")
    }
}
