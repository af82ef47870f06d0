package import HTTP
internal import Messages
internal import ServiceKit

/// The edge's routes and what surrounds them.
package struct EdgeRoutes: Sendable {
    private let identify: IdentifyUser
    private let attribute: AttributeTransaction
    private let showUser: ShowUser
    private let limits: RouteLimits
    private let queryDeadline: Duration

    /// - Parameters:
    ///   - writeDeadline: when a write is answered 503, whatever it waits for.
    ///   - queryDeadline: how long the resolver may take.
    package init(
        identify: IdentifyUser, attribute: AttributeTransaction, showUser: ShowUser, writeDeadline: Duration,
        queryDeadline: Duration
    ) {
        self.identify = identify
        self.attribute = attribute
        self.showUser = showUser
        limits = RouteLimits(body: 256 * 1024, deadline: writeDeadline, responseHeaders: Self.anyOrigin)
        self.queryDeadline = queryDeadline
    }

    /// Adds the routes to `router`, with the trace around all of them and the permissions for browsers on the SDK's.
    package func add(to router: inout Router) {
        router.post("/api/sdk/v1/identify", limits: limits, identify)
        router.post("/api/sdk/v1/attribute", limits: limits, attribute)
        router.get(
            "/api/v1/apps/{bundleId}/users/{appUserId}",
            // The handler's own deadline comes first; this one is for what it does not foresee.
            limits: RouteLimits(deadline: queryDeadline + .seconds(3)), showUser)
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
