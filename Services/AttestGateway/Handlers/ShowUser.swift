package import HTTP
package import Messages

/// `GET /api/v1/apps/{bundleId}/users/{appUserId}?environment=production|sandbox|xcode`: a user as one app sees him.
///
/// `Authorization: Bearer tk_…`, a server key of the app's organisation; the scope `read` is enough. The answer is a
/// ``UserAnswer``. Environment is production unless given. Refusals:
///
/// | status | code | when |
/// |---|---|---|
/// | 400 | `bad_value` | `environment` is none of the three |
/// | 400 | `field_too_long` | `appUserId` or `bundleId` has more than 256 bytes |
/// | 401, 403, 404, 503 | | as ``ServerAccess`` says, for the scope `read` |
/// | 404 | `user_unknown` | nothing has named this user yet |
/// | 503 | `resolver_unavailable` | the resolver did not answer in time, or does not know the app yet |
package struct ShowUser: RouteHandler {
    private let access: ServerAccess
    private let ask: Ask<UserGet>
    private let deadline: Duration

    /// - Parameters:
    ///   - ask: puts the question to the resolver.
    ///   - deadline: how long it may take.
    package init(access: ServerAccess, ask: @escaping Ask<UserGet>, deadline: Duration) {
        self.access = access
        self.ask = ask
        self.deadline = deadline
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let key = try await access.key(of: request, allowing: .read)
        let environment = try UserQuestion.environment(of: request)
        let bundle = AppID(rawValue: try UserQuestion.identifier("bundleId", of: request))
        let user = AppUserID(rawValue: try UserQuestion.identifier("appUserId", of: request))
        let app = try await access.app(bundle, of: key)
        let question = UserGet(organisation: app.organisation, app: app.app, user: user, environment: environment)
        let view = try await UserQuestion.value { try await ask(question, deadline) }
        return try .json(UserAnswer(view, id: CustomerID(app.organisation, user), environment: environment))
    }
}
