package import HTTP
internal import JSON
package import Messages
package import ServiceKit

/// `POST /api/v1/verify`: the verdict on anything that a store has signed, now.
///
/// `Authorization: Bearer tk_…` with the scope `write`: what is verified here is kept, and tells the other services what
/// it says. The body is a ``VerifyBody``. Whatever the verdict, it is answered 200 with the report; nothing is known of
/// the artifact after any other status.
///
/// | status | code | when |
/// |---|---|---|
/// | 200 | | `verdict` is `verified`, `refused` or `retryable` |
/// | 400 | | as for the SDK's routes: no JSON that is taken, or a field that `field` names |
/// | 401, 403, 404, 503 | | as ``ServerAccess`` says, for the scope `write` |
/// | 413 | `body_too_large` | more than 2 MiB |
/// | 503 | `validator_unavailable` | the validator did not answer in time, or does not know the app yet |
package struct VerifyArtifact: RouteHandler {
    private let access: ServerAccess
    private let ask: Ask<ArtifactVerify>
    private let deadline: Duration
    private let logger: Logger
    private let outcomes: [String: Counter]
    private let unavailable: Counter

    /// - Parameters:
    ///   - ask: puts the question to the validator.
    ///   - deadline: how long it may take.
    package init(
        access: ServerAccess, ask: @escaping Ask<ArtifactVerify>, deadline: Duration, logger: Logger,
        metrics: MetricsRegistry
    ) {
        self.access = access
        self.ask = ask
        self.deadline = deadline
        self.logger = logger
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "tollgate_edge_verifications_total", "Verdicts that servers asked for", ["outcome": outcome])
        }
        outcomes = Dictionary(
            uniqueKeysWithValues: ["verified", "refused", "retryable"].map { ($0, counter($0)) })
        unavailable = counter("unavailable")
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let key = try await access.key(of: request, allowing: .write)
        let body = try VerifyBody(request.body)
        let app = try await access.app(body.app, of: key)
        let report = try await report(on: body.question(for: app))
        report["verdict"]?.string.flatMap { outcomes[$0] }?.add()
        return .json(bytes: try JSONCoding.encode(report))
    }

    private func report(on question: ArtifactVerify) async throws -> JSONValue {
        let why: String
        do {
            switch try await ask(question, deadline) {
            case .applied(let value): return value.report
            // The registry knows the app, so its news has not reached the validator yet; or the releases differ.
            case .refused(let refusal), .failed(let refusal): why = "\(refusal)"
            }
        } catch {
            why = "\(error)"
        }
        unavailable.add()
        logger.debug("no verdict", ["error": .string(why)])
        throw HTTPError.serviceUnavailable(
            "validator_unavailable", "The verdict cannot be had now; repeating is safe", retryAfter: 1)
    }
}
