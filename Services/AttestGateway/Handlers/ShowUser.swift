package import HTTP
package import Messages
internal import ServiceKit

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
        let environment = try Self.environment(of: request)
        let bundle = AppID(rawValue: try Self.identifier("bundleId", of: request))
        let user = AppUserID(rawValue: try Self.identifier("appUserId", of: request))
        let app = try await access.app(bundle, of: key)
        let view = try await view(
            UserGet(organisation: app.organisation, app: app.app, user: user, environment: environment))
        return try .json(UserAnswer(view, id: CustomerID(app.organisation, user), environment: environment))
    }

    private func view(_ question: UserGet) async throws -> UserView {
        do {
            switch try await ask(question, deadline) {
            case .applied(let view): return view
            case .refused(let refusal) where refusal.reason == "user_unknown":
                throw HTTPError.notFound("user_unknown", "Nothing has named this user yet")
            // The registry knows the app, so its news has not reached the resolver yet.
            case .refused, .failed: throw Self.unavailable
            }
        } catch let error as HTTPError {
            throw error
        } catch {
            throw Self.unavailable
        }
    }

    private static let unavailable = HTTPError.serviceUnavailable(
        "resolver_unavailable", "The answer cannot be had now; repeating is safe", retryAfter: 1)

    private static func environment(of request: HTTP.Request) throws(HTTPError) -> StoreEnvironment {
        guard let text = request.query("environment") else { return .production }
        let environment = StoreEnvironment(rawValue: text)
        guard [.production, .sandbox, .xcode].contains(environment) else {
            throw .badRequest(
                "bad_value", "environment must be production, sandbox or xcode", field: "environment")
        }
        return environment
    }

    private static func identifier(_ name: String, of request: HTTP.Request) throws(HTTPError) -> String {
        let text = try request.parameter(name)
        try FieldRules.check(text, name, within: FieldRules.identifierBytes)
        return text
    }
}
