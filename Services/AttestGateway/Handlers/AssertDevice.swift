package import HTTP
package import Messages

/// `POST /api/sdk/v1/attest/assert`: an enrolled device gets a fresh token, by a signature of its key. Answers
/// `{"deviceToken":"dt_…"}`; for refusals see ``Enrolment``.
package struct AssertDevice: RouteHandler {
    private let enrolment: Enrolment
    private let ask: Ask<AssertionSubmit>

    /// - Parameter ask: has the registry verify it.
    package init(_ enrolment: Enrolment, ask: @escaping Ask<AssertionSubmit>) {
        self.enrolment = enrolment
        self.ask = ask
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        try await enrolment.token(for: request, route: "assert", proof: .assertion) { proof, app, expiresAt in
            try await ask(proof.assertion(of: app, challengeExpiresAt: expiresAt), enrolment.deadline)
        }
    }
}
