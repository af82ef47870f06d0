package import Messages

/// How long a user has had a chain, and on what grounds.
package struct Tenure: Hashable, Sendable {
    /// How strong the claim was.
    package var rank: ClaimRank
    /// Nil: that is not known yet.
    package var since: Timestamp?
    /// When it went to somebody else; nil: it is his.
    package var lostAt: Timestamp?

    package init(rank: ClaimRank, since: Timestamp?, lostAt: Timestamp? = nil) {
        self.rank = rank
        self.since = since
        self.lostAt = lostAt
    }

    /// - Parameter links: all that he was told of the link, by revision; decides only where the chain is not his.
    package init(of holding: Holding, links: some BidirectionalCollection<Holding.LinkNews>) {
        guard !holding.isHeld else {
            self.init(rank: holding.rank, since: holding.link?.isHeld == true ? holding.link?.since : nil)
            return
        }
        let last = links.last { $0.isHeld }
        // Who has lost a chain may be denied it again later, and be told.
        let lost = links.first { !$0.isHeld && $0.revision > (last?.revision ?? 0) } ?? holding.link
        self.init(
            rank: last?.rank ?? holding.subscriptions.max { $0.revision < $1.revision }?.rank ?? holding.rank,
            since: last?.since, lostAt: lost?.since)
    }
}
