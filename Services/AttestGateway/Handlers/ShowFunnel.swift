package import HTTP
internal import JSON
package import Messages

/// `GET /api/v1/apps/{bundleId}/funnel?from=&to=&by=answer&step=&environment=&trust=`: how many users of an app got from
/// the first onboarding step to the paywall and to a purchase; with `step`, how those who gave different answers to it did.
///
/// `Authorization: Bearer tk_…` with the scope `read`. Times are RFC 3339 or milliseconds since 1970; `by` may be left
/// out. The answer is a `Funnel`; refusals are those of ``ServerAccess``, 400 `bad_value` for a query that cannot be taken,
/// and 503 `event_ingest_unavailable` where one of the partitions does not answer in time.
package struct ShowFunnel: RouteHandler {
    private let access: ServerAccess
    private let askSteps: Ask<FunnelSteps>
    private let askCount: Ask<FunnelCount>
    private let deadline: Duration

    /// - Parameters:
    ///   - askSteps: asks a partition which steps there are.
    ///   - askCount: asks a partition how far users have come.
    ///   - deadline: how long all of them may take together.
    package init(
        access: ServerAccess, askSteps: @escaping Ask<FunnelSteps>, askCount: @escaping Ask<FunnelCount>,
        deadline: Duration
    ) {
        self.access = access
        self.askSteps = askSteps
        self.askCount = askCount
        self.deadline = deadline
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let app = try await SignpostQuestion.app(of: request, access)
        let environment = try UserQuestion.environment(of: request)
        let (from, to) = (try UserQuestion.time("from", of: request), try UserQuestion.time("to", of: request))
        guard [nil, "answer"].contains(request.query("by")) else {
            throw HTTPError.badRequest("bad_value", "by must be answer", field: "by")
        }
        let step = try SignpostQuestion.text("step", of: request)
        let trust = try Self.trust(of: request)

        let end = ContinuousClock.now + deadline
        let survey = FunnelSurvey(
            FunnelCount(
                partition: 0, organisation: app.organisation, app: app.app, steps: [], environment: environment,
                from: from, to: to, answersTo: step, trust: trust)
        ) { [askSteps] question in
            try await SignpostQuestion.value { try await askSteps(question, max(.zero, end - .now)) }
        } askCount: { [askCount] question in
            try await SignpostQuestion.value { try await askCount(question, max(.zero, end - .now)) }
        }
        return try .json(try await survey.funnel(by: survey.steps()))
    }

    /// By whose word; nil: by anybody's.
    private static func trust(of request: HTTP.Request) throws(HTTPError) -> Trust? {
        switch request.query("trust") {
        case nil, "all": return nil
        case let text?:
            let trust = Trust(rawValue: text)
            guard [.attested, .unverified].contains(trust) else {
                throw .badRequest("bad_value", "trust must be attested, unverified or all", field: "trust")
            }
            return trust
        }
    }
}
