internal import Apps
package import Lane
package import Messages
package import SQLite

/// `event-name.list.v1`: which names an app has used.
package struct ListNames: QueryHandler {
    package init() {}

    package func answer(_ query: EventNameList, in snapshot: borrowing Snapshot) throws -> Verdict<EventNameBook> {
        let app = App(query.organisation, query.app)
        guard try AppStore.knows(app.id, of: app.organisation, in: snapshot) else { return .refused(.appUnknown) }
        return .applied(try NameStore.book(of: app, in: snapshot))
    }
}
