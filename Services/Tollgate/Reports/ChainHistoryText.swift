internal import Messages

extension ChainHistoryView {
    /// For people.
    func text(of original: OriginalTransactionID) -> String {
        var lines = ["\(original): \(link.map(\.text) ?? "nobody's")".onOneLine]
        if isTruncated { lines.append("the oldest is left out: there is very much of it") }
        lines.append("claims\(claims.isEmpty ? ": none" : "")")
        lines += claims.map { "  \($0.text)".onOneLine }
        lines.append("what became known\(entries.isEmpty ? ": nothing" : "")")
        lines += entries.filter { $0.what != .claimMade }.map { "  \($0.line)".onOneLine }
        return lines.joined(separator: "\n")
    }
}

extension ChainHistoryView.Link {
    /// For people.
    var text: String {
        "\(user), \(rank.text), since \(since.rfc3339), revision \(revision)"
    }
}

extension ChainHistoryView.Claim {
    /// For people.
    var text: String {
        let who = outcome.rawValue == "unpinned" ? "operator" : user.named
        let was = rankBefore.map { ", \($0.text) until its artifact was taken back" } ?? ""
        let artifact = digest.map { ", artifact \($0.rawValue.prefix(12))" } ?? ""
        return "\(acceptedAt.rfc3339)  \(who)  \(outcome)  (\(rank.text)\(was), through \(app)\(artifact), \(message))"
    }
}

extension ClaimRank {
    /// For people.
    var text: String {
        switch self {
        case .unverified: "unverified"
        case .attested: "attested"
        case .verified: "verified"
        case .accountToken: "account token"
        case .pinned: "pinned by an operator"
        }
    }
}

extension AppUserID {
    /// An empty one was erased.
    var named: String { rawValue.isEmpty ? "(erased)" : rawValue }
}

extension TimelineEntry {
    /// Of the transaction's side, for people: when it became known, what it is, and what became of it.
    fileprivate var line: String {
        var parts = ["\(knownAt.rfc3339)  \(what)"]
        if let user { parts.append(user.named) }
        if let rank { parts.append(rank.text) }
        if let revision { parts.append("revision \(revision)") }
        if let transaction { parts.append("\(transaction)") }
        if let product { parts.append("\(product)") }
        if let environment { parts.append("\(environment)") }
        if let signedAt { parts.append("signed \(signedAt.rfc3339)") }
        if let expiresAt { parts.append("until \(expiresAt.rfc3339)") }
        if let revokedAt { parts.append("revoked \(revokedAt.rfc3339)") }
        if let digest { parts.append("artifact \(digest.rawValue.prefix(12))") }
        var text = parts.joined(separator: "  ")
        if let reason {
            let other = supersededBy.map { " by \($0.rawValue.prefix(12))" } ?? ""
            text += ": does not count (\(reason)\(other))"
        }
        if let grounds { text += ": \(grounds)" }
        return text
    }
}
