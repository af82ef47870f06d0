internal import Messages

/// A transaction that more than one user has claimed.
struct ContestedLink: Encodable, Sendable {
    var organisation: OrganisationID
    var realm: Realm
    var transaction: OriginalTransactionID
    /// Whose it is; absent: nobody's.
    var link: ChainHistoryView.Link?
    /// How many claims contest it.
    var claims: Int
    /// The newest of them.
    var newest: ChainHistoryView.Claim
    /// Who else claimed it, or had it until it was taken from him.
    var others: [AppUserID]

    /// For people.
    var text: String {
        let holder = link.map { "\($0.user) has it (\($0.rank.text))" } ?? "nobody has it"
        let against = others.isEmpty ? "" : ", against \(others.prefix(3).map(\.named).joined(separator: ", "))"
        let more = (others.count > 3 ? " and others" : "") + (claims > 1 ? ", \(claims) such claims" : "")
        return """
            \(newest.acceptedAt.rfc3339)  \(organisation)/\(transaction)  \(holder); \(newest.user.named) claimed it \
            (\(newest.rank.text)): \(newest.outcome)\(against)\(more)
            """.onOneLine
    }
}

/// Puts together what is contested, by transaction.
struct ContestLedger {
    private struct Name: Hashable {
        var organisation: OrganisationID
        var realm: Realm
        var transaction: OriginalTransactionID
    }

    private let isAll: Bool
    private var links: [Name: ContestedLink] = [:]

    /// - Parameter isAll: also what was claimed on weaker grounds only.
    init(isAll: Bool) { self.isAll = isAll }

    /// How many transactions.
    var count: Int { links.count }

    mutating func add(_ contest: LinksContested.Value.Contest) {
        let claim = contest.claim
        // What took it from somebody counts whosever it is now; what was denied, unless its user has it by now.
        let hasMoved = ["moved", "moved_inactive"].contains(claim.outcome.rawValue)
        guard hasMoved || contest.link?.user != claim.user, claim.outcome.rawValue != "pinned" else { return }
        guard isAll || hasMoved || claim.outcome.rawValue != "outranked" else { return }
        let name = Name(
            organisation: contest.organisation, realm: contest.realm, transaction: contest.originalTransactionID)
        var known =
            links[name]
            ?? ContestedLink(
                organisation: contest.organisation, realm: contest.realm, transaction: contest.originalTransactionID,
                link: contest.link, claims: 0, newest: claim, others: [])
        let parties = known.others + [known.newest.user, contest.takenFrom, contest.link?.user].compactMap(\.self)
        known.claims += 1
        (known.link, known.newest) = (contest.link, claim)
        known.others = Set(parties).subtracting([claim.user, AppUserID(rawValue: "")]).sorted()
        links[name] = known
    }

    /// The transactions that were claimed last, newest first.
    func newest(_ limit: Int) -> [ContestedLink] {
        Array(
            links.values.sorted {
                $0.newest.acceptedAt != $1.newest.acceptedAt
                    ? $0.newest.acceptedAt > $1.newest.acceptedAt : $0.transaction < $1.transaction
            }.prefix(limit))
    }
}
