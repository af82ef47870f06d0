package import HTTP
package import Messages

/// `GET /api/v1/apps/{bundleId}/users/{appUserId}/entitlements/{entitlement}/why?at=&known_at=&environment=`: what an
/// entitlement was at a time, by what was known at a time, and everything that made it so.
///
/// Times are RFC 3339 or milliseconds since 1970; `at`, and `known_at`, are now unless given. The answer is a
/// `WhyAnswer`. Refusals are those of ``ShowUser``, and:
///
/// | status | code | when |
/// |---|---|---|
/// | 400 | `bad_value` | `at` or `known_at` is no time |
/// | 503 | `resolver_unavailable` | the user's partition, or that of a chain that concerns him, did not answer in time |
package struct ExplainEntitlement: RouteHandler {
    private let access: ServerAccess
    private let askUser: Ask<UserWhy>
    private let askChain: Ask<ChainHistory>
    private let deadline: Duration

    /// - Parameters:
    ///   - askUser: puts the question to the user's partition.
    ///   - askChain: puts the question to a chain's partition.
    ///   - deadline: how long all of them may take together.
    package init(
        access: ServerAccess, askUser: @escaping Ask<UserWhy>, askChain: @escaping Ask<ChainHistory>,
        deadline: Duration
    ) {
        self.access = access
        self.askUser = askUser
        self.askChain = askChain
        self.deadline = deadline
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let key = try await access.key(of: request, allowing: .read)
        let environment = try UserQuestion.environment(of: request)
        let (at, knownAt) = (try UserQuestion.time("at", of: request), try UserQuestion.time("known_at", of: request))
        let bundle = AppID(rawValue: try UserQuestion.identifier("bundleId", of: request))
        let user = AppUserID(rawValue: try UserQuestion.identifier("appUserId", of: request))
        let entitlement = EntitlementID(rawValue: try UserQuestion.identifier("entitlement", of: request))
        let app = try await access.app(bundle, of: key)

        let end = ContinuousClock.now + deadline
        let question = UserWhy(
            organisation: app.organisation, app: app.app, user: user, entitlement: entitlement,
            environment: environment, at: at, knownAt: knownAt)
        let view = try await UserQuestion.value { try await askUser(question, deadline) }
        let whole = try await view.completed(for: question) { [askChain] chain in
            try await UserQuestion.value { try await askChain(chain, max(.zero, end - .now)) }
        }
        return try .json(WhyAnswer(whole, of: user))
    }
}
