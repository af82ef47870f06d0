package import HTTP
internal import JSON
package import Messages
internal import Messaging

/// `GET /api/v1/apps/{bundleId}/users/{appUserId}?environment=production|sandbox|xcode`: a user as one app sees him.
///
/// `Authorization: Bearer tk_…`, a server key of the app's organisation; the scope `read` is enough. The answer is a
/// `UserAnswer`, which the resolver writes. Environment is production unless given. Refusals:
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
    private let ask: Ask<UserDocumentGet>
    private let askView: Ask<UserGet>
    private let deadline: Duration

    /// - Parameters:
    ///   - ask: puts the question to the resolver.
    ///   - askView: puts it to one that writes no documents.
    ///   - deadline: how long either may take.
    package init(
        access: ServerAccess, ask: @escaping Ask<UserDocumentGet>, askView: @escaping Ask<UserGet>, deadline: Duration
    ) {
        self.access = access
        self.ask = ask
        self.askView = askView
        self.deadline = deadline
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let key = try await access.key(of: request, allowing: .read)
        let environment = try UserQuestion.environment(of: request)
        let bundle = AppID(rawValue: try UserQuestion.identifier("bundleId", of: request))
        let user = AppUserID(rawValue: try UserQuestion.identifier("appUserId", of: request))
        let app = try await access.app(bundle, of: key)
        let question = UserDocumentGet(
            organisation: app.organisation, app: app.app, user: user, environment: environment,
            customerID: CustomerID(app.organisation, user).rawValue)
        let document = try await UserQuestion.value {
            let answer = try await ask(question, deadline)
            return if isUnheardOf(answer) { try await written(question) } else { answer }
        }
        return .json(bytes: document.bytes)
    }

    /// A resolver of 0.1.0 has not heard of documents.
    private func isUnheardOf(_ answer: Answer<UserDocumentGet.Value>) -> Bool {
        if case .failed(let why) = answer { why.reason == MessageFault.Reason.kindUnknown.rawValue } else { false }
    }

    private func written(_ question: UserDocumentGet) async throws -> Answer<UserDocumentGet.Value> {
        switch try await askView(question.view, deadline) {
        case .applied(let view):
            let answer = UserAnswer(view, id: question.customerID, environment: question.environment)
            return .applied(try JSONFragment(answer))
        case .refused(let refusal): return .refused(refusal)
        case .failed(let failure): return .failed(failure)
        }
    }
}
