package import Lane
package import Messages
package import SQLite

/// `user.export.v1`: all that the user's side keeps of him, a page at a time: what was said and told, then what he holds,
/// then what was known when.
package struct ExportUser: QueryHandler {
    package static let isLengthy = true

    private let pageSize: Int

    package init(pageSize: Int = 200) { self.pageSize = pageSize }

    package func answer(_ query: UserExport, in snapshot: borrowing Snapshot) throws -> Verdict<UserExportPage> {
        let customer = Customer(query.organisation, query.user)
        guard let seen = try CustomerStore.seen(customer, in: snapshot) else { return .refused(.userUnknown) }
        var page = UserExportPage(firstSeen: seen.first, lastSeen: seen.last)
        let cursor = query.after.flatMap(ExportCursor.init)
        if cursor == nil {
            // Of these there are few; of the others any number.
            page.facts = try CustomerStore.allFacts(of: customer, in: snapshot)
            page.told = try ToldEntitlementStore.told(of: customer, in: snapshot)
                .map { UserExportPage.Told(app: $0.key.app, state: $0.value) }
                .sorted { $0.place.lexicographicallyPrecedes($1.place) }
        }
        if cursor?.section != .history {
            let holdings = try HoldingStore.all(of: customer, after: cursor?.key, limit: pageSize, in: snapshot)
            page.holdings = holdings.map(UserExportPage.Holding.init)
            page.next =
                holdings.count < pageSize
                ? ExportCursor(.history).text
                : holdings.last.flatMap {
                    ExportCursor(.holdings, [$0.chain.realm.rawValue, $0.chain.original.rawValue]).text
                }
            return .applied(page)
        }
        page.history = try HoldingHistoryStore.all(of: customer, after: cursor?.key, limit: pageSize, in: snapshot)
        if page.history.count == pageSize {
            page.next = page.history.last.flatMap { ExportCursor(.history, $0.key).text }
        }
        return .applied(page)
    }
}

/// Where a page ended.
private struct ExportCursor {
    enum Section: String {
        case holdings, history
    }

    var section: Section
    /// Of the last row; nil: before the first.
    var key: [String]?

    init(_ section: Section, _ key: [String]? = nil) {
        self.section = section
        self.key = key
    }

    init?(_ text: String) {
        guard let parts = try? MessageJSON.decode([String].self, from: Array(text.utf8)),
            let section = parts.first.flatMap(Section.init)
        else { return nil }
        self.init(section, parts.count > 1 ? Array(parts.dropFirst()) : nil)
    }

    var text: String? {
        (try? MessageJSON.encode([section.rawValue] + (key ?? []))).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension UserExportPage.Told {
    fileprivate var place: [String] { [app.rawValue, state.environment.rawValue, state.entitlement.rawValue] }
}

extension UserExportPage.Holding {
    fileprivate init(_ holding: Holding) {
        self.init(
            realm: holding.chain.realm, originalTransactionID: holding.chain.original, isHeld: holding.isHeld,
            revision: holding.link?.revision, rank: holding.link?.rank, since: holding.link?.since,
            subscriptions: holding.subscriptions.map {
                .init(
                    environment: $0.subscription.environment, revision: $0.revision, rank: $0.rank,
                    transactions: $0.subscription.transactions,
                    renewals: $0.subscription.renewals.isEmpty ? nil : $0.subscription.renewals)
            })
    }
}
