package import Lane
package import Messages
package import SQLite

/// `mapping.list.v1`: what an app's products unlock.
package struct ListMappings: QueryHandler {
    package init() {}

    package func answer(_ query: MappingList, in snapshot: borrowing Snapshot) throws -> Verdict<[ProductMapping]> {
        .applied(try MappingStore.all(of: query.app, of: query.organisation, in: snapshot))
    }
}
