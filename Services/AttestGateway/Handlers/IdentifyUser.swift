package import HTTP
internal import Messages

/// `POST /api/sdk/v1/identify`: who a user is. Answers `{"ok":true,"id":…}` once the broker has it; the resolver
/// merges it when it gets there.
package struct IdentifyUser: RouteHandler {
    private let writes: SDKWrites

    package init(_ writes: SDKWrites) { self.writes = writes }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let acceptedAt = writes.now()
        let caller = try writes.caller(of: request, at: acceptedAt)
        let body = try IdentifyBody(request.body)
        let write = SDKWrites.Write(
            request: request, route: "identify", acceptedAt: acceptedAt, caller: caller, app: body.app,
            user: body.user, install: body.install)
        return try await writes.accept(write) { app, id in
            let command = body.command(for: app, trust: caller.trust)
            try await writes.commands.publish(command, id: id, acceptedAt: acceptedAt)
        } answer: { app in
            Array("{\"ok\":true,\"id\":\"\(CustomerID(app.organisation, body.user).rawValue)\"}".utf8)
        }
    }
}
