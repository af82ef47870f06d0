package import HTTP
package import Messages

/// `POST /api/sdk/v1/attest`: a device enrols itself by an attestation of App Attest, and gets a token. Answers
/// `{"deviceToken":"dt_…"}`; for refusals see ``Enrolment``.
package struct AttestDevice: RouteHandler {
    private let enrolment: Enrolment
    private let ask: Ask<AttestationSubmit>

    /// - Parameter ask: has the registry verify it.
    package init(_ enrolment: Enrolment, ask: @escaping Ask<AttestationSubmit>) {
        self.enrolment = enrolment
        self.ask = ask
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        try await enrolment.token(for: request, route: "attest", proof: .attestation) { proof, app, expiresAt in
            try await ask(proof.attestation(of: app, challengeExpiresAt: expiresAt), enrolment.deadline)
        }
    }
}
