package import Lane
package import Messages
package import SQLite

/// `holdings.page.v1`: who holds which chain, a page at a time.
package struct PageHoldings: QueryHandler {
    package static let isLengthy = true

    private let pageSize: Int

    package init(pageSize: Int = 5000) { self.pageSize = pageSize }

    package func answer(
        _ query: HoldingsPage, in snapshot: borrowing Snapshot
    ) throws -> Verdict<HoldingsPage.Value> {
        let page = try HoldingStore.page(after: query.after ?? 0, limit: pageSize, in: snapshot)
        let holdings = page.map { holding in
            let chain = holding.chain
            return HoldingsPage.Value.Holding(
                transaction: "\(chain.organisation)/\(chain.realm)/\(chain.original)", user: holding.user)
        }
        return .applied(HoldingsPage.Value(holdings: holdings, next: page.count < pageSize ? nil : page.last?.position))
    }
}
