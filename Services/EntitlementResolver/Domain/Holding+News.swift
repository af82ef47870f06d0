internal import Messages

extension Holding {
    /// Whether anything was bought in one environment that is among `products`.
    func hasAny(of products: Set<ProductID>, in environment: StoreEnvironment) -> Bool {
        subscription(in: environment)?.transactions.contains { products.contains($0.product) } == true
    }

    /// What the chain amounts to in one environment, as far as is known.
    func subscription(in environment: StoreEnvironment) -> Subscription? {
        subscriptions.first { $0.subscription.environment == environment }?.subscription
    }

    /// Takes in what is told of its chain.
    package mutating func learn(_ told: News.Told) {
        switch told {
        case .app, .mapping: break
        case .link(let link, _, let isOvertaken):
            if !isOvertaken { self.link = link }
        case .subscription(let environment, let revision, let rank):
            change(environment) { known in
                known.revision = revision
                known.rank = rank
            }
        case .transaction(let environment, let id, let transaction):
            change(environment) { known in
                known.subscription.tell(transaction, of: id)
            }
        case .renewals(let environment, let renewals):
            change(environment) { known in
                known.subscription.renewals = renewals
            }
        }
    }

    /// Takes all transactions that are known of its chain in one environment.
    mutating func take(_ transactions: [StoreTransaction], in environment: StoreEnvironment) {
        change(environment) { known in
            known.subscription = Subscription(
                environment: environment, transactions: transactions, renewals: known.subscription.renewals)
        }
    }

    private mutating func change(_ environment: StoreEnvironment, _ change: (inout SubscriptionNews) -> Void) {
        guard let index = subscriptions.firstIndex(where: { $0.subscription.environment == environment }) else {
            var known = SubscriptionNews(
                revision: 0, rank: .unverified, subscription: Subscription(environment: environment, transactions: []))
            change(&known)
            subscriptions.append(known)
            return
        }
        change(&subscriptions[index])
    }
}
