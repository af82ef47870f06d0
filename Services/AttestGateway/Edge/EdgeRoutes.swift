package import HTTP
internal import Messages
internal import ServiceKit

/// The edge's routes and what surrounds them.
package struct EdgeRoutes: Sendable {
    private let identify: IdentifyUser
    private let attribute: AttributeTransaction
    private let challenge: IssueChallenge
    private let attest: AttestDevice
    private let assert: AssertDevice
    private let showUser: ShowUser
    private let explain: ExplainEntitlement
    private let verify: VerifyArtifact
    private let takeNotification: TakeNotification
    private let limits: RouteLimits
    private let writeDeadline: Duration
    private let queryDeadline: Duration
    private let verifyDeadline: Duration

    /// What a handler does not foresee takes no longer than this beyond its own deadline.
    private static let grace = Duration.seconds(3)

    /// - Parameters:
    ///   - writeDeadline: when a write is answered 503, whatever it waits for.
    ///   - queryDeadline: how long resolver and registry may take.
    ///   - verifyDeadline: how long the validator may take.
    package init(
        identify: IdentifyUser, attribute: AttributeTransaction, challenge: IssueChallenge, attest: AttestDevice,
        assert: AssertDevice, showUser: ShowUser, explain: ExplainEntitlement, verify: VerifyArtifact,
        takeNotification: TakeNotification, writeDeadline: Duration, queryDeadline: Duration, verifyDeadline: Duration
    ) {
        self.identify = identify
        self.attribute = attribute
        self.challenge = challenge
        self.attest = attest
        self.assert = assert
        self.showUser = showUser
        self.explain = explain
        self.verify = verify
        self.takeNotification = takeNotification
        self.writeDeadline = writeDeadline
        self.verifyDeadline = verifyDeadline
        limits = RouteLimits(body: 256 * 1024, deadline: writeDeadline, responseHeaders: Self.anyOrigin)
        self.queryDeadline = queryDeadline
    }

    /// Adds the routes to `router`, with the trace around all of them and the permissions for browsers on the SDK's.
    package func add(to router: inout Router) {
        router.post("/api/sdk/v1/identify", limits: limits, identify)
        router.post("/api/sdk/v1/attribute", limits: limits, attribute)
        router.post("/api/sdk/v1/attest/challenge", limits: limits, challenge)
        var enrolling = limits
        // Which app is meant may have to be asked first.
        enrolling.deadline = writeDeadline + queryDeadline
        router.post("/api/sdk/v1/attest", limits: enrolling, attest)
        router.post("/api/sdk/v1/attest/assert", limits: enrolling, assert)
        router.get(
            "/api/v1/apps/{bundleId}/users/{appUserId}", limits: RouteLimits(deadline: queryDeadline + Self.grace),
            showUser)
        router.get(
            "/api/v1/apps/{bundleId}/users/{appUserId}/entitlements/{entitlement}/why",
            limits: RouteLimits(deadline: queryDeadline + Self.grace), explain)
        router.post(
            "/api/v1/verify", limits: RouteLimits(body: VerifyBody.bytes, deadline: verifyDeadline + Self.grace), verify
        )
        router.post(
            "/apple/v2/notifications/{notificationToken}",
            limits: RouteLimits(body: AppleNotification.bytes, deadline: writeDeadline + Self.grace), takeNotification)
        router.get("/openapi.json", ShowDocument())
        router.around = { request, next in
            let trace = request.headers["traceparent"].flatMap(TraceContext.init(traceparent:)) ?? TraceContext()
            var response = await TraceContext.$current.withValue(trace) { await next(request) }
            // What no route answers has no headers of a route.
            if request.route == nil, Self.isSDK(request) { response.headers["Access-Control-Allow-Origin"] = "*" }
            return response
        }
        router.options = { request, _ in Self.isSDK(request) ? Self.preflight : .empty() }
    }

    private static func isSDK(_ request: HTTP.Request) -> Bool { request.segments.starts(with: ["api", "sdk", "v1"]) }

    /// There is no secret to protect: any page may call the SDK API (Fetch standard § 3.2.3).
    private static let anyOrigin: HTTPHeaders = ["Access-Control-Allow-Origin": "*"]

    /// Good for a day.
    private static let preflight = Response(
        status: .noContent,
        headers: [
            "Access-Control-Allow-Methods": "POST, OPTIONS",
            "Access-Control-Allow-Headers": "authorization, content-type, idempotency-key, traceparent",
            "Access-Control-Max-Age": "86400",
        ])
}
