package import HTTP
internal import Messages

/// `POST /api/sdk/v1/attribute`: a transaction belongs to a user. Answers `{"ok":true}` once the broker has it; whether
/// the signed transaction is good, the validator finds out later.
package struct AttributeTransaction: RouteHandler {
    private let writes: SDKWrites

    package init(_ writes: SDKWrites) { self.writes = writes }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let acceptedAt = writes.now()
        let caller = try writes.caller(of: request, at: acceptedAt)
        let body = try AttributeBody(request.body)
        let write = SDKWrites.Write(
            request: request, route: "attribute", acceptedAt: acceptedAt, caller: caller, app: body.app,
            user: body.user, install: body.install)
        return try await writes.accept(write) { app, id in
            switch body.command(for: app, trust: caller.trust) {
            case .artifact(let command): try await writes.commands.publish(command, id: id, acceptedAt: acceptedAt)
            case .claim(let command): try await writes.commands.publish(command, id: id, acceptedAt: acceptedAt)
            }
        } answer: { _ in
            SDKWrites.ok
        }
    }
}
