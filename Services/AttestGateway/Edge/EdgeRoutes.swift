internal import HTTP
internal import Messages

/// The edge's routes and what surrounds them.
struct EdgeRoutes: Sendable {
    let identify: IdentifyUser
    let attribute: AttributeTransaction
    let resolvePaywall: ResolvePaywall
    let recordImpression: RecordImpression
    let recordEvents: RecordEvents
    let challenge: IssueChallenge
    let attest: AttestDevice
    let assert: AssertDevice
    let showUser: ShowUser
    let explain: ExplainEntitlement
    let eventNames: ShowEventNames
    let signposts: PageSignposts
    let funnel: ShowFunnel
    let verify: VerifyArtifact
    let takeNotification: TakeNotification
    /// When a write is answered 503, whatever it waits for.
    let writeDeadline: Duration
    /// How long resolver and registry may take.
    let queryDeadline: Duration
    /// How long the validator may take.
    let verifyDeadline: Duration

    /// What a handler does not foresee takes no longer than this beyond its own deadline.
    private static let grace = Duration.seconds(3)

    /// Adds the routes to `router`, with the permissions for browsers on the SDK's.
    func add(to router: inout Router) {
        let limits = RouteLimits(body: 256 * 1024, deadline: writeDeadline, responseHeaders: Self.anyOrigin)
        router.post("/api/sdk/v1/identify", limits: limits, identify)
        router.post("/api/sdk/v1/attribute", limits: limits, attribute)
        router.post("/api/sdk/v1/paywall", limits: limits, resolvePaywall)
        router.post("/api/sdk/v1/paywall/impression", limits: limits, recordImpression)
        router.post("/api/sdk/v1/events", limits: limits, recordEvents)
        router.post("/api/sdk/v1/attest/challenge", limits: limits, challenge)
        var enrolling = limits
        // Which app is meant may have to be asked first.
        enrolling.deadline = writeDeadline + queryDeadline
        router.post("/api/sdk/v1/attest", limits: enrolling, attest)
        router.post("/api/sdk/v1/attest/assert", limits: enrolling, assert)
        let asking = RouteLimits(deadline: queryDeadline + Self.grace)
        router.get("/api/v1/apps/{bundleId}/users/{appUserId}", limits: asking, showUser)
        router.get(
            "/api/v1/apps/{bundleId}/users/{appUserId}/entitlements/{entitlement}/why", limits: asking, explain)
        router.get("/api/v1/apps/{bundleId}/signposts/names", limits: asking, eventNames)
        router.get("/api/v1/apps/{bundleId}/signposts", limits: asking, signposts)
        router.get("/api/v1/apps/{bundleId}/funnel", limits: asking, funnel)
        router.post(
            "/api/v1/verify", limits: RouteLimits(body: VerifyBody.bytes, deadline: verifyDeadline + Self.grace), verify
        )
        router.post(
            "/apple/v2/notifications/{notificationToken}",
            limits: RouteLimits(body: AppleNotification.bytes, deadline: writeDeadline + Self.grace), takeNotification)
        router.get("/openapi.json", ShowDocument())
        router.around = { request, next in
            var response = await next(request)
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
