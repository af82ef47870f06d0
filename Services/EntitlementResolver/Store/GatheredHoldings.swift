internal import Messages

/// Holdings as they are put together of what counts at one time, piece by piece.
struct GatheredHoldings {
    private var known: [ChainID: Holding] = [:]
    /// Put in order in the end, and not once for each.
    private var transactions: [ChainID: [StoreEnvironment: [StoreTransaction]]] = [:]

    mutating func add(_ news: News) {
        guard let chain = news.chain else { return }
        if case .transaction(let environment, _, let transaction) = news.told {
            if let transaction { transactions[chain, default: [:]][environment, default: []].append(transaction) }
        } else {
            known[chain, default: Holding(chain: chain)].learn(news.told)
        }
    }

    var holdings: [Holding] {
        var known = known
        for (chain, environments) in transactions {
            for (environment, transactions) in environments {
                known[chain, default: Holding(chain: chain)].take(transactions, in: environment)
            }
        }
        return Array(known.values)
    }
}
