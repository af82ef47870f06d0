internal import Crypto
package import HTTP
internal import JSON
internal import Messages

/// `POST /api/sdk/v1/attest/challenge`: what a device has to answer next. Nothing is stored and nobody asked, so it works
/// whatever is away. A body is not needed; one that is there has to be an object.
package struct IssueChallenge: RouteHandler {
    private let enrolment: Enrolment

    package init(_ enrolment: Enrolment) { self.enrolment = enrolment }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let now = enrolment.now()
        _ = try enrolment.callers.caller(of: request, at: now)
        if !request.body.isEmpty { _ = try JSONObject(request.body, limits: .sdkBody) }
        // A repeat gets another challenge, which is just as good; only the key's form is looked at.
        _ = try IdempotencyKey(of: request)
        try enrolment.admission.admit(request)
        let challenge = Challenge.make(
            random: RandomBytes.make(Challenge.randomBytes), at: now, sealedWith: enrolment.keys)
        return .json(bytes: Array("{\"challenge\":\"\(challenge)\"}".utf8))
    }
}
