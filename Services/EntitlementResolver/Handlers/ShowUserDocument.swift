internal import JSON
package import Lane
package import Messages
package import SQLite

/// `user.document.v1`: what ``ShowUser`` answers, written as the server API tells it.
package struct ShowUserDocument: QueryHandler {
    private let users: ShowUser

    package init(now: @escaping @Sendable () -> Timestamp) { users = ShowUser(now: now) }

    package func answer(_ query: UserDocumentGet, in snapshot: borrowing Snapshot) throws -> Verdict<
        UserDocumentGet.Value
    > {
        switch try users.answer(query.view, in: snapshot) {
        case .applied(let view), .overtaken(let view):
            let answer = UserAnswer(view, id: query.customerID, environment: query.environment)
            return .applied(try JSONFragment(answer))
        case .refused(let refusal): return .refused(refusal)
        }
    }
}
