package import HTTP
internal import Messages

/// `POST /api/sdk/v1/paywall/impression`: a paywall of an experiment has been seen, and what was on it. Answers
/// `{"ok":true}` once the broker has it; whether the install takes part, paywall-experiments finds out.
package struct RecordImpression: RouteHandler {
    private let writes: SDKWrites

    package init(_ writes: SDKWrites) { self.writes = writes }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let acceptedAt = writes.now()
        let caller = try writes.caller(of: request, at: acceptedAt)
        let body = try ImpressionBody(request.body)
        let write = SDKWrites.Write(
            request: request, route: "paywall/impression", acceptedAt: acceptedAt, caller: caller, app: body.app,
            user: nil, install: body.install.rawValue)
        return try await writes.accept(write) { app, id in
            let command = body.command(for: app, trust: caller.trust)
            try await writes.commands.publish(command, id: id, acceptedAt: acceptedAt)
        } answer: { _ in
            SDKWrites.ok
        }
    }
}
