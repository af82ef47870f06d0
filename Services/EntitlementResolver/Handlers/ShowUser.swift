package import Lane
package import Messages
package import SQLite

/// `user.get.v1`: the user as the asking app sees him, judged at the time of the answer.
package struct ShowUser: QueryHandler {
    /// How many chains an answer lists.
    static let mostTransactions = 1000

    private let now: @Sendable () -> Timestamp

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    package func answer(_ query: UserGet, in snapshot: borrowing Snapshot) throws -> Verdict<UserView> {
        guard let app = try AppStore.current(query.app, of: query.organisation, in: snapshot) else {
            return .refused(.appUnknown)
        }
        let customer = Customer(query.organisation, query.user)
        guard let profile = try CustomerStore.profile(of: customer, in: snapshot) else {
            return .refused(.userUnknown)
        }
        let listed = try HoldingStore.held(
            by: customer, realm: app.realm, limit: Self.mostTransactions, in: snapshot)
        // Where more is held than is listed, what unlocks something may be among the rest.
        let unlocking =
            listed.count < Self.mostTransactions
            ? listed : try HoldingStore.unlocking(for: customer, in: snapshot)
        let products = Set(
            unlocking.flatMap(\.subscriptions).flatMap(\.subscription.transactions).map(\.product))
        let mapping = try MappingStore.unlocked(by: products, in: query.app, of: query.organisation, in: snapshot)
        let entitlements = Entitlements(of: unlocking, for: app, in: query.environment, mapping: mapping)
        return .applied(
            UserView(
                customer: Self.view(of: profile, query.user),
                transactions: listed.compactMap { Self.view(of: $0, in: query.environment, isTest: app.isTest) },
                entitlements: entitlements.states(at: now()), isTest: app.isTest))
    }

    private static func view(of profile: CustomerStore.Profile, _ user: AppUserID) -> UserView.Customer {
        var view = UserView.Customer(
            user: user, firstSeen: profile.firstSeen, lastSeen: profile.lastSeen, trust: profile.trust)
        for fact in profile.facts {
            switch (fact.sort, fact.name, fact.value) {
            case (.attribute, let name, let value?): view.attributes[name] = value
            case (.device, "platform", .text(let text)?): view.platform = text
            case (.device, "osVersion", .text(let text)?): view.osVersion = text
            case (.device, "deviceModel", .text(let text)?): view.deviceModel = text
            case (.device, "locale", .text(let text)?): view.locale = text
            default: break
            }
        }
        return view
    }

    /// Nil where all that is known of the chain happened in other environments. What was taken back is not known.
    private static func view(
        of holding: Holding, in environment: StoreEnvironment, isTest: Bool
    ) -> UserView.HeldTransaction? {
        let known = holding.subscriptions.map(\.subscription).filter { !$0.transactions.isEmpty }
        let here = known.first { $0.environment == environment }
        guard here != nil || known.isEmpty else { return nil }
        return UserView.HeldTransaction(
            originalTransactionID: holding.chain.original, latest: here?.transactions.last,
            count: here?.transactions.count ?? 0, trust: holding.rank.trust, since: holding.since ?? .distantPast,
            isTest: isTest)
    }
}
